import type { CampaignView } from '../db/read/campaign-rows.ts';
import { campaignsById } from '../db/read/campaigns-by-id.ts';
import type { Snapshot } from '../db/read/snapshot.ts';
import { type CursorScope, encodeCursor } from './cursor.ts';

/** Rows of a list, each of a campaign. */
interface OfCampaign {
  readonly campaignId: string;
}

/**
 * A page of a list over campaigns.
 * @param found one more than the page has, where there are more.
 * @param placeIn where a row stands in the list, for the cursor.
 */
export async function earnedPage<R extends OfCampaign, T>(
  snapshot: Snapshot,
  { found, limit, scope }: { found: readonly R[]; limit: number; scope: CursorScope },
  placeIn: (row: R) => readonly string[],
  render: (row: R, campaign: CampaignView) => T,
): Promise<{ readonly items: T[]; readonly nextCursor: string | null }> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const campaigns = await campaignsById(
    snapshot,
    rows.map(({ campaignId }) => campaignId),
  );
  return {
    items: rows.flatMap((row) => {
      const campaign = campaigns.get(row.campaignId);
      return campaign ? [render(row, campaign)] : [];
    }),
    nextCursor: last ? encodeCursor(scope, placeIn(last)) : null,
  };
}
