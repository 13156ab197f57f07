import { Link, useSearchParams } from 'wouter';
import { useApi, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { DataTable, PagedTable } from '../../../components/data-table.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Time } from '../../../components/time.tsx';
import { countOf } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { disputePath } from '../paths.ts';
import { TimeLeft } from '../time-left.tsx';
import { DisputeState, type DisputeStatus, reasons, statuses } from './words.tsx';

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
              {countOf(data.open, 'request')} {data.open === 1 ? 'waits' : 'wait'} for your answer,
              and {countOf(data.accepted, 'accepted refund')} {data.accepted === 1 ? 'is' : 'are'}{' '}
              not paid yet.{' '}
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
                  {
                    name: 'Asked for',
                    numeric: true,
                    cell: ({ requested, token }) => <Amount value={requested} token={token} />,
                  },
                  {
                    name: 'Rewards on them',
                    numeric: true,
                    cell: ({ rewardsAtRisk, token }) => (
                      <Amount value={rewardsAtRisk} token={token} />
                    ),
                  },
                  {
                    name: 'All proceeds on hold',
                    numeric: true,
                    cell: ({ proceedsPending, token }) => (
                      <Amount value={proceedsPending} token={token} />
                    ),
                  },
                ]}
              />
            )}
          </div>
        )}
      </Answered>
    </Card>
  );
}

function Requests() {
  const { api, key } = useActing();
  const [params, setParams] = useSearchParams();
  const status = statusOf(params.get('status'));
  const pages = usePages([...key, 'disputes.list'], api.disputes.list, {
    ...(status && { status }),
    limit: 25,
  });
  return (
    <Card title="Refund requests">
      <div className="stack">
        <SelectField
          id="status"
          label="Show"
          value={status ?? ''}
          onChange={({ target }) => setParams(target.value ? { status: target.value } : {})}
        >
          <option value="">All requests</option>
          {Object.entries(statuses).map(([name, { word }]) => (
            <option key={name} value={name}>
              {word}
            </option>
          ))}
        </SelectField>
        <PagedTable
          caption="Refund requests"
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
            {
              name: 'Asked for',
              numeric: true,
              cell: ({ requestedAmount, token }) => (
                <Amount value={requestedAmount} token={token} />
              ),
            },
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
        />
      </div>
    </Card>
  );
}

function statusOf(name: string | null): DisputeStatus | undefined {
  return Object.keys(statuses).find((one): one is DisputeStatus => one === name);
}
