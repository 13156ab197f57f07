import type { Policy } from '../../core/campaign.ts';
import type { Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { type PolicyRow as PolicyColumns, policyOfRow } from '../policy-row.ts';
import { toInteger } from './ids.ts';
import type { AsOf } from './one-read.ts';

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
export interface PolicyRow extends PolicyColumns {
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

/** How they go as JSON (`jsonRows`). */
export const policyColumnKinds = {
  version: 'is',
  effective_at: 'text',
  reward_token: 'is',
  commission_bps: 'is',
  per_sale_cap: 'text',
  campaign_liability_cap: 'text',
  max_rewarded_ancestors: 'is',
  weights_bps: 'is',
  short_path_mode: 'is',
  hold_seconds: 'is',
  expiry: 'text',
  regions: 'is',
  sharing_rules: 'is',
  eligibility_hash: 'is',
  policy_hash: 'is',
  registered_transaction: 'is',
  registered_block: 'text',
  registered_timestamp: 'text',
} as const satisfies Record<keyof PolicyRow, 'text' | 'is'>;

/** Joins to `campaign` and its `standing` the policy in effect at the settled block's time. */
export function joinPolicy(sql: Sql, at: AsOf) {
  return sql`
    join lateral (
      select * from ledger.policy
      where campaign_id = campaign.campaign_id and seq <= standing.seq
        and effective_at <= ${at.timestamp}
      order by version desc limit 1
    ) policy on true`;
}

export function policyOf(row: PolicyRow): RegisteredPolicy {
  return {
    ...policyOfRow(row),
    registration: {
      hash: row.registered_transaction,
      blockNumber: toInteger(row.registered_block),
      timestamp: toInteger(row.registered_timestamp),
    },
  };
}
