import { campaignsById } from '../../../db/read/campaigns/by-id.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import { type CursorScope, type Page, pageOf } from '../../input/cursor.ts';

/**
 * Page of a list whose rows each belong to a campaign.
 * @param found rows in order: one more than `limit` if there are more.
 * @param positionOf position of a row in the list, for the cursor.
 */
export async function earnedPage<R extends { readonly campaignId: string }, T>(
  snapshot: Snapshot,
  { found, limit, scope }: { found: readonly R[]; limit: number; scope: CursorScope },
  positionOf: (row: R) => readonly string[],
  render: (row: R, campaign: CampaignView) => T,
): Promise<Page<T>> {
  const { items, nextCursor } = pageOf(found, limit, scope, positionOf);
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
