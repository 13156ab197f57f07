import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import type { api, DataOf } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { words } from '../../format.ts';
import { checkoutPath } from '../../offer/use-offer.ts';

type Use = NonNullable<DataOf<typeof api.products.get>['usedBy']>[number];

/** All listed campaigns that sell a product, the newest 20 at most. */
export function CampaignsCard({ campaigns }: { readonly campaigns: readonly Use[] }) {
  return (
    <Card title="Campaigns that sell it">
      <DataTable
        caption="Campaigns that sell the product"
        rows={campaigns}
        rowKey={({ campaignId }) => campaignId}
        columns={[
          {
            name: 'Campaign',
            cell: ({ campaignId, name }) => (
              <Link href={pathOf('campaign', { campaignId })}>
                {campaignId} · {name}
              </Link>
            ),
          },
          {
            name: 'State',
            cell: ({ state }) => (
              <Badge tone={state === 'FUNDED_ACTIVE' ? 'good' : 'plain'}>{words(state)}</Badge>
            ),
          },
          {
            name: 'Offer',
            cell: ({ campaignId }) => <Link href={checkoutPath({ campaignId })}>Buy from it</Link>,
          },
        ]}
      />
    </Card>
  );
}
