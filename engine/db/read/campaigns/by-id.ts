import type { StoredRow } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { type CampaignView, campaignColumns, campaignOf, joinCampaign } from './rows.ts';

/** The campaigns of these ids that exist at the settled block, by id: one statement. */
export async function campaignsById(
  { sql, head }: Snapshot,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, CampaignView>> {
  const rows = await sql<StoredRow[]>`
    select ${campaignColumns(sql)}
    from ledger.campaign campaign ${joinCampaign(sql, head)}
    where campaign.campaign_id = any(${[...new Set(campaignIds)]}::bigint[])`;
  const campaigns = rows.map((row) => campaignOf(row, head));
  return new Map(campaigns.map((campaign) => [campaign.campaignId, campaign]));
}
