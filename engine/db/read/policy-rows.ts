import type { Policy } from '../../core/campaign.ts';
import type { Address, Hex } from '../../core/events.ts';
import type { ShortPathMode } from '../../core/split.ts';
import type { Sql } from '../connection.ts';
import { toInteger } from './ids.ts';

/** Where a transaction stands. */
export interface TransactionPlace {
  readonly hash: Hex;
  readonly blockNumber: number;
  /** Unix seconds of the block. */
  readonly timestamp: number;
}

/** A version of a policy, and where it was registered. */
export interface RegisteredPolicy extends Policy {
  readonly registration: TransactionPlace;
}

/** The columns of `policyColumns`. */
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
  registered_transaction: Hex;
  registered_block: string;
  registered_timestamp: string;
}

/** Of `policy` and the journal's row `registered` of its PolicyScheduled. */
export function policyColumns(sql: Sql) {
  return sql`
    policy.version, policy.effective_at, policy.reward_token, policy.commission_bps,
    policy.per_sale_cap, policy.campaign_liability_cap, policy.max_rewarded_ancestors,
    policy.weights_bps, policy.short_path_mode, policy.hold_seconds, policy.expiry,
    policy.regions, policy.sharing_rules, policy.eligibility_hash, policy.policy_hash,
    registered.transaction_hash as registered_transaction,
    registered.block_number as registered_block,
    registered.block_timestamp as registered_timestamp`;
}

export function policyOf(row: PolicyRow): RegisteredPolicy {
  return {
    version: row.version,
    effectiveAt: toInteger(row.effective_at),
    rewardToken: row.reward_token,
    commissionBps: row.commission_bps,
    perSaleCap: BigInt(row.per_sale_cap),
    campaignLiabilityCap: BigInt(row.campaign_liability_cap),
    maxRewardedAncestors: row.max_rewarded_ancestors,
    weightsBps: row.weights_bps,
    shortPathMode: row.short_path_mode,
    holdSeconds: row.hold_seconds,
    expiry: toInteger(row.expiry),
    regions: row.regions,
    sharingRules: row.sharing_rules,
    eligibilityHash: row.eligibility_hash,
    policyHash: row.policy_hash,
    registration: {
      hash: row.registered_transaction,
      blockNumber: toInteger(row.registered_block),
      timestamp: toInteger(row.registered_timestamp),
    },
  };
}
