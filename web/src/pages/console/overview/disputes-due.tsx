import { Link } from 'wouter';
import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Empty } from '../../../components/empty.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { Loading, type PartSize } from '../../../components/loading.tsx';
import { useActing } from '../acting.tsx';
import { DisputeState, reasons } from '../disputes/words.tsx';
import { disputePath, sectionPath } from '../paths.ts';
import { TimeLeft } from '../time-left.tsx';

/** Requests of each state that are shown; the section has all. */
const SHOWN = 5;

/** Height of the card with three requests. */
const SIZE: PartSize = [9.9, 31.8];

/** Refund requests that wait for an answer or for a signature, the first deadline first. */
export function DisputesDue() {
  const open = useDisputes('open');
  const accepted = useDisputes('accepted');
  const more = open.data?.data.nextCursor ?? accepted.data?.data.nextCursor;
  return (
    <Card title="Needs an answer" aside={<AsOf meta={open.data?.meta} />}>
      <Answered query={open} what="Refund requests" size={SIZE}>
        {({ data }) => {
          if (accepted.isPending) return <Loading what="refund requests" size={SIZE} />;
          const items = [...data.items, ...(accepted.data?.data.items ?? [])].sort((a, b) =>
            a.respondBy < b.respondBy ? -1 : 1,
          );
          if (items.length === 0) return <Empty>No refund request waits for you.</Empty>;
          return (
            <DataTable
              caption="Refund requests that wait for you"
              rows={items}
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
                { name: 'Deadline', cell: ({ respondBy }) => <TimeLeft until={respondBy} /> },
                { name: 'Reason', cell: ({ reason }) => reasons[reason] },
                column.amount('Asked for', 'requestedAmount'),
                { name: 'State', cell: ({ status }) => <DisputeState value={status} /> },
              ]}
            />
          );
        }}
      </Answered>
      {more && (
        <p>
          <Link href={sectionPath('disputes')}>All refund requests</Link>
        </p>
      )}
    </Card>
  );
}

function useDisputes(status: 'open' | 'accepted') {
  const { api, key } = useActing();
  return useApi([...key, 'disputes.list'], api.disputes.list, { status, limit: SHOWN });
}
