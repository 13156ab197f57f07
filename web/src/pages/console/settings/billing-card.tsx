import { useApi, usePages } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Facts } from '../../../components/facts.tsx';
import { PagedTable } from '../../../components/list.tsx';
import { percent } from '../../../format.ts';
import { useActing } from '../acting.tsx';

/** Fees of the service this month, and its invoices. */
export function BillingCard() {
  const { api, key } = useActing();
  const summary = useApi([...key, 'billing.summary'], api.billing.summary, {});
  const invoices = usePages([...key, 'billing.invoices'], api.billing.invoices, { limit: 12 });
  return (
    <Card title="Fees of the service">
      <div className="stack">
        <Answered query={summary} what="The fees">
          {({ data: { feeBps, period, totals } }) => (
            <>
              <Facts
                facts={[
                  ['Fee of the service', feeBps === 0 ? 'none' : percent(feeBps)],
                  ['Month', period.from.slice(0, 7)],
                ]}
              />
              {totals.length > 0 && (
                <DataTable
                  caption="This month"
                  rows={totals}
                  rowKey={({ token }) => token.address}
                  columns={[
                    { name: 'Token', cell: ({ token }) => token.symbol },
                    column.amount('Completed sales', 'settledValue'),
                    column.amount('Fees', 'protocolFees'),
                  ]}
                />
              )}
            </>
          )}
        </Answered>
        <PagedTable
          caption="Invoices"
          pages={invoices}
          empty="There are no invoices."
          rowKey={({ id }) => id}
          columns={[
            {
              name: 'Period',
              cell: ({ period }) => `${period.from.slice(0, 10)} – ${period.to.slice(0, 10)}`,
            },
            {
              name: 'Amount',
              numeric: true,
              cell: ({ amount, currency }) => `${amount} ${currency}`,
            },
            { name: 'State', cell: ({ status }) => status },
            { name: 'Document', cell: ({ url }) => url && <a href={url}>Open</a> },
          ]}
        />
      </div>
    </Card>
  );
}
