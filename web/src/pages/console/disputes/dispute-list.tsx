import { Link } from 'wouter';
import { useApi, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { optionsOf, useFilters } from '../../../filters/use-filters.ts';
import { count } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { disputePath } from '../paths.ts';
import { TimeLeft } from '../time-left.tsx';
import { DisputeState, reasons, statuses } from './words.tsx';

/** Cost that open requests could have, and all requests: the first deadline first. */
export function DisputeList() {
  return (
    <>
      <Exposure />
      <Requests />
    </>
  );
}

function Exposure() {
  const { api, key } = useActing();
  const query = useApi([...key, 'disputes.exposure'], api.disputes.exposure, {});
  return (
    <Card title="At stake" aside={<AsOf meta={query.data?.meta} />}>
      <Answered query={query} what="What is at stake">
        {({ data }) => (
          <div className="stack">
            <p>
              {data.open === 1
                ? 'One request waits for your answer.'
                : `${count(data.open)} requests wait for your answer.`}{' '}
              {data.accepted === 1
                ? 'One accepted refund is not paid yet.'
                : `${count(data.accepted)} accepted refunds are not paid yet.`}{' '}
              {data.nextRespondBy && (
                <>
                  The first hold ends <Time at={data.nextRespondBy} />.
                </>
              )}
            </p>
            {data.byToken.length > 0 && (
              <DataTable
                caption="At stake by token"
                rows={data.byToken}
                rowKey={({ token }) => token.address}
                columns={[
                  { name: 'Token', cell: ({ token }) => token.symbol },
                  { name: 'Requests', numeric: true, cell: ({ disputes }) => String(disputes) },
                  column.amount('Asked for', 'requested'),
                  column.amount('Rewards on them', 'rewardsAtRisk'),
                  column.amount('All proceeds on hold', 'proceedsPending'),
                ]}
              />
            )}
          </div>
        )}
      </Answered>
    </Card>
  );
}

const states = optionsOf('All requests', statuses, ({ word }) => word);

function Requests() {
  const { api, key } = useActing();
  const filters = useFilters('status');
  const status = filters.chosen('status', states);
  const pages = usePages([...key, 'disputes.list'], api.disputes.list, { status, limit: 25 });
  return (
    <ListCard
      title="Refund requests"
      pages={pages}
      empty={
        status
          ? 'No request is in this state.'
          : 'No buyer has asked for a refund. When one does, the request appears here with its deadline.'
      }
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'Request',
          cell: ({ id, saleId, product }) => (
            <Link href={disputePath(id)}>
              {saleId} · {product.title}
            </Link>
          ),
        },
        { name: 'Reason', cell: ({ reason }) => reasons[reason] },
        { name: 'Buyer', cell: ({ buyer }) => <AddressLink address={buyer} /> },
        column.amount('Asked for', 'requestedAmount'),
        { name: 'State', cell: (dispute) => <DisputeState value={dispute.status} /> },
        {
          name: 'Deadline',
          cell: (dispute) =>
            dispute.closedAt === null && dispute.status !== 'withdrawn' ? (
              <TimeLeft until={dispute.respondBy} />
            ) : (
              'closed'
            ),
        },
      ]}
    >
      <FilterBar filters={filters}>
        <FilterSelect filters={filters} name="status" label="Show" options={states} wide />
      </FilterBar>
    </ListCard>
  );
}
