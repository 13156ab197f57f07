import type { Address, Hex, TrustMode } from './events.ts';
import type { SplitPolicy } from './split.ts';

/** The properties of a campaign that are fixed when it is created. */
export interface Campaign {
  readonly campaignId: string;
  readonly merchant: Address;
  readonly token: Address;
  readonly tokenDecimals: number;
  readonly tokenSymbol: string;
  readonly tokenName: string;
  readonly skuHash: Hex;
  readonly metadataHash: Hex;
  /** Unix seconds. */
  readonly startsAt: number;
  /** Unix seconds. */
  readonly endsAt: number;
  readonly trustMode: TrustMode;
  readonly inviteOnly: boolean;
  /** Number of nodes that one account may have. */
  readonly nodesPerAccount: number;
  /** Chosen by the merchant; part of `termsHash`. */
  readonly salt: Hex;
  /** Names the campaign in signed calls, because a reorg can give its id to another campaign. */
  readonly termsHash: Hex;
}

/** A version of a campaign's reward policy (docs/reference/protocol.md#policy). */
export interface Policy extends SplitPolicy {
  readonly version: number;
  /** Unix seconds from which sales may use it. */
  readonly effectiveAt: number;
  readonly rewardToken: Address;
  /** Seconds a reward is held before it can be finalized. */
  readonly holdSeconds: number;
  /** Unix seconds; no sale at or after it. */
  readonly expiry: number;
  /** True if no sale may reward a node of its own buyer. */
  readonly excludesSelfReferral: boolean;
  readonly regions: readonly string[];
  readonly sharingRules: readonly string[];
  readonly eligibilityHash: Hex;
  readonly policyHash: Hex;
}

/** The two ledgers of a campaign, base units (docs/reference/protocol.md#amounts-that-add-up). */
export interface CampaignLedger {
  readonly netDeposited: bigint;
  readonly available: bigint;
  readonly pendingReserved: bigint;
  readonly vestedUnclaimed: bigint;
  readonly rewardsClaimed: bigint;
  readonly surplusWithdrawn: bigint;
  readonly proceedsPending: bigint;
  readonly proceedsClaimable: bigint;
  readonly proceedsClaimed: bigint;
  readonly buyerRefunded: bigint;
  /** Refunds and rewards that the token refused to pay: counted as paid, but still in the contract. */
  readonly creditOutstanding: bigint;
}

/** The amounts of a campaign's ledgers, reward ledger first, as `campaignLedger` returns them. */
export const ledgerFields = [
  'netDeposited',
  'available',
  'pendingReserved',
  'vestedUnclaimed',
  'rewardsClaimed',
  'surplusWithdrawn',
  'proceedsPending',
  'proceedsClaimable',
  'proceedsClaimed',
  'buyerRefunded',
  'creditOutstanding',
] as const satisfies readonly (keyof CampaignLedger)[];

/** The ledgers of a campaign before its first event. */
export const emptyLedger: CampaignLedger = {
  netDeposited: 0n,
  available: 0n,
  pendingReserved: 0n,
  vestedUnclaimed: 0n,
  rewardsClaimed: 0n,
  surplusWithdrawn: 0n,
  proceedsPending: 0n,
  proceedsClaimable: 0n,
  proceedsClaimed: 0n,
  buyerRefunded: 0n,
  creditOutstanding: 0n,
};

/** Number of a campaign's sales in each state, and of its nodes. */
export interface CampaignCounts {
  readonly pending: number;
  /** Sales that were finalized, including those that were reversed later. */
  readonly finalized: number;
  readonly refunded: number;
  readonly reversed: number;
  readonly nodes: number;
}

/** State of a campaign after one of its events: everything that events can change. */
export interface CampaignSnapshot {
  readonly funded: boolean;
  readonly paused: boolean;
  readonly ended: boolean;
  /** Price of the campaign's own SKU, base units. */
  readonly price: bigint;
  readonly nodeCapacity: number;
  readonly saleCapacity: number;
  readonly ledger: CampaignLedger;
  readonly counts: CampaignCounts;
}

/** States of a campaign on the chain (docs/reference/protocol.md#state). DRAFT_OFFCHAIN is none: drafts are not on it. */
export type CampaignState = 'CREATED_UNFUNDED' | 'FUNDED_ACTIVE' | 'PAUSED' | 'ENDED' | 'EXPIRED';

/**
 * A campaign's state at a time (docs/reference/protocol.md#state). If several apply, the first of ENDED, EXPIRED,
 * PAUSED and CREATED_UNFUNDED: a pause stops joins, which an unfunded campaign allows.
 *
 * @param clock Unix seconds of the block that is read, never of the machine.
 */
export function campaignState(
  campaign: Pick<CampaignSnapshot, 'ended' | 'paused' | 'funded'>,
  times: { readonly endsAt: number; readonly policyExpiry: number },
  clock: number,
): CampaignState {
  if (campaign.ended) return 'ENDED';
  if (clock >= times.endsAt || clock >= times.policyExpiry) return 'EXPIRED';
  if (campaign.paused) return 'PAUSED';
  return campaign.funded ? 'FUNDED_ACTIVE' : 'CREATED_UNFUNDED';
}

/** The policy of a sale at `timestamp` (Unix seconds): the highest version in effect (docs/reference/protocol.md#policy). */
export function policyAt<P extends Pick<Policy, 'version' | 'effectiveAt'>>(
  policies: readonly P[],
  timestamp: number,
): P | undefined {
  let newest: P | undefined;
  for (const policy of policies) {
    if (policy.effectiveAt > timestamp) continue;
    if (newest === undefined || policy.version > newest.version) newest = policy;
  }
  return newest;
}

/** The version that takes effect next, of those that wait; of two at one time the higher. */
export function nextPolicyOf<P extends Pick<Policy, 'version' | 'effectiveAt'>>(
  waiting: readonly P[],
): P | undefined {
  let next: P | undefined;
  for (const policy of waiting) {
    const isSooner = next === undefined || policy.effectiveAt < next.effectiveAt;
    const isHigher = policy.effectiveAt === next?.effectiveAt && policy.version > next.version;
    if (isSooner || isHigher) next = policy;
  }
  return next;
}

/** Fields of a ledger that a campaign's liability is the sum of. */
export type LiabilityField = 'pendingReserved' | 'vestedUnclaimed' | 'rewardsClaimed';

/** Rewards that a campaign owes or has paid, base units; `campaignLiabilityCap` limits them. */
export function liabilityOf(ledger: Pick<CampaignLedger, LiabilityField>): bigint {
  return ledger.pendingReserved + ledger.vestedUnclaimed + ledger.rewardsClaimed;
}

/**
 * Net deposits minus everything they were used for, base units: 0 if the reward ledger adds up.
 * @internal for tests of conservation.
 */
export function rewardImbalance(ledger: CampaignLedger): bigint {
  return ledger.netDeposited - ledger.available - liabilityOf(ledger) - ledger.surplusWithdrawn;
}

/**
 * Total of the proceeds ledger, base units. It equals the total amount of the native sales.
 * @internal for tests of conservation.
 */
export function proceedsTotal(ledger: CampaignLedger): bigint {
  return (
    ledger.proceedsPending +
    ledger.proceedsClaimable +
    ledger.proceedsClaimed +
    ledger.buyerRefunded
  );
}

/** Amount of the campaign's token that the contract must hold for this campaign, base units. */
export function owedByContract(ledger: CampaignLedger): bigint {
  return (
    ledger.available +
    ledger.pendingReserved +
    ledger.vestedUnclaimed +
    ledger.proceedsPending +
    ledger.proceedsClaimable +
    ledger.creditOutstanding
  );
}

/** Number of sales that were finalized and not reversed: `settledSales` in the API. */
export function settledSales(counts: CampaignCounts): number {
  return counts.finalized - counts.reversed;
}

/** Number of sales recorded, in any state; `saleCapacity` limits it. */
export function recordedSales(counts: CampaignCounts): number {
  return counts.pending + counts.finalized + counts.refunded;
}
