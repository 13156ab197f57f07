import type { Policy } from '../../core/campaign.ts';
import type { Fragment, Sql } from '../connection.ts';
import type { WrittenRow } from '../row.ts';
import { currentPolicyRow } from '../rows/campaign.ts';
import { assignmentsSql, rowsSql } from './statements.ts';

/** The policy in effect at a campaign's clock, and the rank that follows from it. */
export interface CurrentPolicy {
  /** `null` before the first takes effect. */
  readonly policy: Policy | null;
  readonly rankScore: number;
}

/** A campaign with the policy in effect. */
export interface CampaignPolicy {
  readonly campaignId: string;
  readonly current: CurrentPolicy;
}

/** Records the policies in effect of campaigns whose clock moved without a folded event. */
export async function writeCurrentPolicies(
  sql: Sql,
  campaigns: readonly CampaignPolicy[],
): Promise<void> {
  await updateCampaigns(
    sql,
    campaigns.map(({ campaignId, current }) => ({
      campaign_id: campaignId,
      ...currentPolicyRow.encode(current),
    })),
  );
}

/** The statement that updates existing campaigns by their ids: all columns that the rows have. */
export function updateCampaigns(sql: Sql, rows: readonly WrittenRow[]): Fragment {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== 'campaign_id');
  return sql`
    update ledger.campaign c set ${assignmentsSql(sql, columns, 'r')}
    from ${rowsSql(sql, 'campaign', rows)} r
    where c.campaign_id = any(${rows.map((row) => row.campaign_id as string)}::bigint[])
      and c.campaign_id = r.campaign_id`;
}
