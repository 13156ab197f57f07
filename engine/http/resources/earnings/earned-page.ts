import { campaignsById } from '../../../db/read/campaigns/by-id.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import type { Page } from '../../input/cursor.ts';

/** Page of a list whose rows each belong to a campaign. */
export async function earnedPage<R extends { readonly campaignId: string }, T>(
  snapshot: Snapshot,
  { items, nextCursor }: Page<R>,
  render: (row: R, campaign: CampaignView) => T,
): Promise<Page<T>> {
  const ids = items.map(({ campaignId }) => campaignId);
  const campaigns = await campaignsById(snapshot, ids);
  return {
    items: items.flatMap((row) => {
      const campaign = campaigns.get(row.campaignId);
      return campaign ? [render(row, campaign)] : [];
    }),
    nextCursor,
  };
}
