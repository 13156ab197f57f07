import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { MINE } from '../../account/use-session.ts';
import { api, usePages } from '../../api.ts';
import { Card } from '../../components/card.tsx';
import { PagedTable } from '../../components/data-table.tsx';
import { receiptColumns } from '../../components/receipt-columns.tsx';

/** The buyer of one’s own purchases is oneself. */
const columns = receiptColumns.filter(({ name }) => name !== 'Buyer');

/** Purchases of the account, newest first. */
export function PurchasesCard() {
  const pages = usePages([MINE, 'receipts.forBuyer'], (page, options) =>
    api.receipts.forBuyer({ ...page, limit: 20 }, options),
  );
  return (
    <Card title="Purchases" aside={<Link href={pathOf('purchases')}>Downloads and refunds</Link>}>
      <PagedTable
        caption="Your purchases"
        pages={pages}
        empty="This account has bought nothing."
        rowKey={({ saleId }) => saleId}
        columns={columns}
      />
    </Card>
  );
}
