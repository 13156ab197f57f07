import { Card } from '../../components/card.tsx';
import * as column from '../../components/columns.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { Time } from '../../components/time.tsx';
import { count, words } from '../../format.ts';
import type { TrackRecord } from './profile.ts';

/** Totals of a distributor over all campaigns. */
export function RecordCard({ record }: { readonly record: TrackRecord }) {
  const { firstLinkAt, lastSettledAt } = record;
  return (
    <Card title="Track record">
      <div className="stack">
        <Facts
          facts={[
            ['Links', count(record.linkCount)],
            ['First joined', firstLinkAt && <Time at={firstLinkAt} />],
            ['Completed sales', count(record.settledConversions)],
            ['By its own links', count(record.directSales)],
            ['By links below its own', count(record.networkSales)],
            ['Sales on hold', count(record.pendingSales)],
            ['Refunded sales', count(record.refundedSales)],
            ['Reversed sales', count(record.reversedSales)],
            ['Different merchants', count(record.merchantCount)],
            ['Categories', record.categories.map(words).join(', ')],
            ['Last completed', lastSettledAt && <Time at={lastSettledAt} />],
          ]}
        />
        {record.settledValues.length > 0 && <Values record={record} />}
        <p className="soft">
          Sales whose buyer is the merchant, or owns a rewarded link of the path, do not count.
        </p>
      </div>
    </Card>
  );
}

function Values({ record }: { readonly record: TrackRecord }) {
  return (
    <DataTable
      caption="What buyers paid in its completed sales, by token"
      rows={record.settledValues}
      rowKey={({ token }) => token.address}
      columns={[
        { name: 'Token', cell: ({ token }) => token.symbol },
        column.count('Completed sales', 'sales'),
        column.amount('Paid by their buyers', 'value'),
      ]}
    />
  );
}
