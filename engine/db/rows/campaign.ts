import type { TrustMode } from '../../core/events.ts';
import type { ShortPathMode } from '../../core/split.ts';
import {
  address,
  amount,
  as,
  flag,
  hex,
  id,
  integer,
  optional,
  rowCodec,
  seconds,
  small,
  text,
} from '../row.ts';

/** Fields of a campaign that never change: columns of `ledger.campaign`. */
export const campaignRow = rowCodec({
  campaignId: id,
  merchant: address,
  token: address,
  tokenDecimals: small,
  tokenSymbol: text,
  tokenName: text,
  skuHash: hex,
  metadataHash: hex,
  startsAt: seconds,
  endsAt: seconds,
  trustMode: as<TrustMode>(),
  inviteOnly: flag,
  nodesPerAccount: integer,
  salt: hex,
  termsHash: hex,
});

/** The transaction that created a campaign: columns of `ledger.campaign`. */
export const creationRow = rowCodec({
  hash: hex.from('created_transaction'),
  blockNumber: integer.from('created_block'),
  timestamp: seconds.from('created_timestamp'),
});

/** A campaign's two ledgers, in base units: columns of `ledger.journal` and `ledger.campaign`. */
export const ledgerRow = rowCodec({
  netDeposited: amount,
  available: amount,
  pendingReserved: amount,
  vestedUnclaimed: amount,
  rewardsClaimed: amount,
  surplusWithdrawn: amount,
  proceedsPending: amount,
  proceedsClaimable: amount,
  proceedsClaimed: amount,
  buyerRefunded: amount,
  creditOutstanding: amount,
});

/**
 * The state of a campaign after an event: columns that `ledger.journal` has for each event and
 * `ledger.campaign` for the newest.
 */
export const campaignStateRow = rowCodec({
  funded: flag,
  paused: flag,
  ended: flag,
  price: amount,
  nodeCapacity: integer,
  saleCapacity: integer,
  ledger: ledgerRow.fields,
  counts: {
    pending: integer.from('pending_count'),
    finalized: integer.from('finalized_count'),
    refunded: integer.from('refunded_count'),
    reversed: integer.from('reversed_count'),
    nodes: integer.from('node_count'),
  },
});

/** A version of a campaign's reward policy: columns of `ledger.policy`. */
export const policyRow = rowCodec({
  version: small,
  effectiveAt: seconds,
  rewardToken: address,
  commissionBps: small,
  perSaleCap: amount,
  campaignLiabilityCap: amount,
  maxRewardedAncestors: small,
  weightsBps: as<readonly number[]>(),
  shortPathMode: as<ShortPathMode>(),
  holdSeconds: small,
  expiry: seconds,
  excludesSelfReferral: flag,
  regions: as<readonly string[]>(),
  sharingRules: as<readonly string[]>(),
  eligibilityHash: hex,
  policyHash: hex,
});

/**
 * The policy in effect at a campaign's clock, `null` before the first, and the rank that follows from it:
 * columns of `ledger.campaign`.
 */
export const currentPolicyRow = rowCodec({
  policy: optional({
    version: small.from('policy_version'),
    commissionBps: small,
    maxRewardedAncestors: small,
    holdSeconds: small,
    expiry: seconds.from('policy_expiry'),
  }),
  rankScore: integer,
});
