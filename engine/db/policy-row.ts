import type { Policy } from '../core/campaign.ts';
import type { Address, Hex } from '../core/events.ts';
import type { ShortPathMode } from '../core/split.ts';

/** A row of `ledger.policy` as PostgreSQL answers it: int8 and numeric as text. */
export interface PolicyRow {
  version: number;
  effective_at: string;
  reward_token: Address;
  commission_bps: number;
  per_sale_cap: string;
  campaign_liability_cap: string;
  max_rewarded_ancestors: number;
  weights_bps: number[];
  short_path_mode: ShortPathMode;
  hold_seconds: number;
  expiry: string;
  regions: string[];
  sharing_rules: string[];
  eligibility_hash: Hex;
  policy_hash: Hex;
}

export function policyOfRow(row: PolicyRow): Policy {
  return {
    version: row.version,
    effectiveAt: Number(row.effective_at),
    rewardToken: row.reward_token,
    commissionBps: row.commission_bps,
    perSaleCap: BigInt(row.per_sale_cap),
    campaignLiabilityCap: BigInt(row.campaign_liability_cap),
    maxRewardedAncestors: row.max_rewarded_ancestors,
    weightsBps: row.weights_bps,
    shortPathMode: row.short_path_mode,
    holdSeconds: row.hold_seconds,
    expiry: Number(row.expiry),
    regions: row.regions,
    sharingRules: row.sharing_rules,
    eligibilityHash: row.eligibility_hash,
    policyHash: row.policy_hash,
  };
}
