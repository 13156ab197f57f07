import {
  type CampaignRow,
  type CampaignView,
  campaignColumns,
  campaignJoins,
  campaignOf,
} from './campaign-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Those campaigns that there are at the settled block, by id: one statement. */
export async function campaignsById(
  { sql, head }: Snapshot,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, CampaignView>> {
  const rows = await sql<CampaignRow[]>`
    select ${campaignColumns(sql)}
    from ledger.campaign campaign ${campaignJoins(sql, head)}
    where campaign.campaign_id = any(${[...new Set(campaignIds)]}::bigint[])`;
  return new Map(rows.map((row) => [row.campaign_id, campaignOf(row, head)]));
}
