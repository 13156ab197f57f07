import type { Policy } from '../../core/campaign.ts';
import type { Fragment, Sql } from '../connection.ts';
import { listed, type Row, rowsOf } from './json-rows.ts';

/** The policy in effect at a campaign's clock, and the rank that follows from it. */
export interface CurrentPolicy {
  /** `undefined` before the first takes effect. */
  readonly policy: Policy | undefined;
  readonly rankScore: number;
}

export const currentPolicyNames = [
  'policy_version',
  'commission_bps',
  'max_rewarded_ancestors',
  'hold_seconds',
  'policy_expiry',
  'rank_score',
] as const;

/** As `campaign` keeps it beside the standing. */
export function currentPolicyColumns({ policy, rankScore }: CurrentPolicy): Row {
  return {
    policy_version: policy?.version ?? null,
    commission_bps: policy?.commissionBps ?? null,
    max_rewarded_ancestors: policy?.maxRewardedAncestors ?? null,
    hold_seconds: policy?.holdSeconds ?? null,
    policy_expiry: policy?.expiry ?? null,
    rank_score: rankScore,
  };
}

/** A campaign with the policy in effect. */
export interface CampaignPolicy {
  readonly campaignId: string;
  readonly current: CurrentPolicy;
}

/** Keeps other policies in effect, where the clock moved and no event was folded. */
export async function writeCurrentPolicies(
  sql: Sql,
  campaigns: readonly CampaignPolicy[],
): Promise<void> {
  await updateCampaigns(
    sql,
    currentPolicyNames,
    campaigns.map(({ campaignId, current }) => ({
      campaign_id: campaignId,
      ...currentPolicyColumns(current),
    })),
  );
}

/** The statement that replaces columns of campaigns that are there, by their ids. */
export function updateCampaigns(
  sql: Sql,
  columns: readonly string[],
  rows: readonly (Row & { readonly campaign_id: string })[],
): Fragment {
  return sql`
    update ledger.campaign c set ${listed(
      sql,
      columns.map((column) => sql`${sql(column)} = r.${sql(column)}`),
    )}
    from ${rowsOf(sql, 'campaign', rows)} r
    where c.campaign_id = any(${rows.map((row) => row.campaign_id)}::bigint[])
      and c.campaign_id = r.campaign_id`;
}
