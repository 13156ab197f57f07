import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, usePages } from '../../api.ts';
import type { TableColumn } from '../../components/data-table.tsx';
import { ListCard } from '../../components/list.tsx';
import { receiptColumn } from '../../components/receipt-columns.tsx';
import { Sold } from '../../components/sold.tsx';

type Row = DataOf<typeof api.receipts.forCampaign>['items'][number];

const { sale: withoutLink, campaign: itself, ...shared } = receiptColumn;

/** As in every list of receipts; the campaign is this page’s, so the selling link is shown. */
const columns: readonly TableColumn<Row>[] = [
  {
    name: 'Sale',
    cell: (sale) => (
      <>
        <Link href={pathOf('receipt', sale)}>{sale.saleId}</Link>
        <Sold sale={sale} />
      </>
    ),
  },
  { name: 'Link', cell: ({ nodeId }) => (nodeId === null ? 'none' : `link ${nodeId}`) },
  ...Object.values(shared),
];

/** The sales of the campaign, newest first. */
export function ReceiptsCard({ campaignId }: { readonly campaignId: string }) {
  const pages = usePages(['receipts.forCampaign'], api.receipts.forCampaign, {
    campaignId,
    limit: 20,
  });
  return (
    <ListCard
      title="Sales"
      id="receipts"
      caption="Sales of the campaign"
      pages={pages}
      empty="No sale yet. New sales appear here as they are settled."
      rowKey={({ saleId }) => saleId}
      columns={columns}
    />
  );
}
