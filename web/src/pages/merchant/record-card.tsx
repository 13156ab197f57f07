import { api, type DataOf, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import * as column from '../../components/columns.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration } from '../../format.ts';

type MerchantRecord = DataOf<typeof api.merchants.record>;

/** Totals of the merchant’s sales, over all its campaigns. */
export function RecordCard({ slug }: { readonly slug: string }) {
  const query = useApi(['merchants.record'], api.merchants.record, { slug });
  return (
    <Card title="Track record">
      <Answered query={query} what="The record">
        {({ data }) => (
          <div className="stack">
            <Facts facts={recordFacts(data)} />
            {data.tokens.length > 0 && <Totals record={data} />}
          </div>
        )}
      </Answered>
    </Card>
  );
}

function recordFacts({ sales, since, lastSaleAt, disputed, finalized }: MerchantRecord) {
  const { medianSeconds, medianSecondsAfterHold } = finalized;
  return [
    ['First campaign', since && <Time key="since" at={since} />],
    ['Last sale', lastSaleAt && <Time key="last" at={lastSaleAt} />],
    ['Sales', count(sales.recorded)],
    ['Settled', count(sales.settled)],
    ['Pending', count(sales.pending)],
    ['Refunded in whole', count(sales.refunded)],
    ['Reversed', count(sales.reversed)],
    ['Disputed', count(disputed)],
    ['Usual time to finalize', medianSeconds === null ? null : duration(medianSeconds)],
    [
      'Of that, after the hold',
      medianSecondsAfterHold === null ? null : duration(medianSecondsAfterHold),
    ],
  ] as const;
}

function Totals({ record }: { readonly record: MerchantRecord }) {
  return (
    <DataTable
      caption="Sales by token"
      rows={record.tokens}
      rowKey={({ token }) => token.address}
      columns={[
        { name: 'Token', cell: ({ token }) => token.symbol },
        column.count('Settled sales', 'settledSales'),
        {
          name: 'Settled',
          numeric: true,
          money: (row) => ({ value: row.settledValue, token: row.token }),
        },
        {
          name: 'Pending',
          numeric: true,
          money: (row) => ({ value: row.pendingValue, token: row.token }),
        },
        {
          name: 'Refunded',
          numeric: true,
          money: (row) => ({ value: row.refundedValue, token: row.token }),
        },
      ]}
    />
  );
}
