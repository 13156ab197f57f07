import type { Policy } from '../../core/campaign.ts';
import type { Sql } from '../connection.ts';
import type { Row } from './json-rows.ts';

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

/** Keeps another policy in effect, where the clock moved and no event was folded. */
export async function writeCurrentPolicy(
  sql: Sql,
  campaignId: string,
  { policy, rankScore }: CurrentPolicy,
): Promise<void> {
  await sql`
    update ledger.campaign set
      policy_version = ${policy?.version ?? null},
      commission_bps = ${policy?.commissionBps ?? null},
      max_rewarded_ancestors = ${policy?.maxRewardedAncestors ?? null},
      hold_seconds = ${policy?.holdSeconds ?? null},
      policy_expiry = ${policy?.expiry ?? null},
      rank_score = ${rankScore}
    where campaign_id = ${campaignId}`;
}
