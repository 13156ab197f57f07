import type { Address, Hex, TrustMode } from './events.ts';
import type { SplitPolicy } from './split.ts';

/** What a campaign was created with, and cannot change. */
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
  /** How many nodes one account may have. */
  readonly nodesPerAccount: number;
  /** Chosen by the merchant; part of `termsHash`. */
  readonly salt: Hex;
  /** Names the campaign in signed calls, because a reorg can give its id to another campaign. */
  readonly termsHash: Hex;
}

/** A version of the reward policy. */
export interface Policy extends SplitPolicy {
  readonly version: number;
  /** Unix seconds from which sales may use it. */
  readonly effectiveAt: number;
  readonly rewardToken: Address;
  /** Seconds a reward is held before it can be finalized. */
  readonly holdSeconds: number;
  /** Unix seconds; no sale at or after it. */
  readonly expiry: number;
  readonly regions: readonly string[];
  readonly sharingRules: readonly string[];
  readonly eligibilityHash: Hex;
  readonly policyHash: Hex;
}

/** The two ledgers of a campaign, base units (design §3, Ledgers). */
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

/** How many sales stand where, and how many nodes there are. */
export interface CampaignCounts {
  readonly pending: number;
  /** Finalized sales, reversed ones included (design §3). */
  readonly finalized: number;
  readonly refunded: number;
  readonly reversed: number;
  readonly nodes: number;
}

/** Everything about a campaign that its events change; kept after each of them. */
export interface Standing {
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

/** States a campaign on the chain can have; DRAFT_OFFCHAIN lives off it (design §3). */
export type CampaignState = 'CREATED_UNFUNDED' | 'FUNDED_ACTIVE' | 'PAUSED' | 'ENDED' | 'EXPIRED';

/**
 * A campaign's state at a time. ENDED goes before EXPIRED, EXPIRED before PAUSED (design §3), and
 * PAUSED before CREATED_UNFUNDED, because a pause stops joins, which an unfunded campaign allows.
 *
 * @param clock Unix seconds of the block read, never the wall's.
 */
export function campaignState(
  standing: Pick<Standing, 'ended' | 'paused' | 'funded'>,
  times: { readonly endsAt: number; readonly policyExpiry: number },
  clock: number,
): CampaignState {
  if (standing.ended) return 'ENDED';
  if (clock >= times.endsAt || clock >= times.policyExpiry) return 'EXPIRED';
  if (standing.paused) return 'PAUSED';
  return standing.funded ? 'FUNDED_ACTIVE' : 'CREATED_UNFUNDED';
}

/** The policy a sale at `timestamp` uses: the highest version in effect by then (design §3). */
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

/** What the campaign owes or has paid, base units: what `campaignLiabilityCap` bounds (design §4). */
export function liabilityOf(ledger: CampaignLedger): bigint {
  return ledger.pendingReserved + ledger.vestedUnclaimed + ledger.rewardsClaimed;
}

/** Net deposits minus where they went: zero where the reward ledger adds up (design §3). */
export function rewardImbalance(ledger: CampaignLedger): bigint {
  return ledger.netDeposited - ledger.available - liabilityOf(ledger) - ledger.surplusWithdrawn;
}

/** Sum of the proceeds ledger, base units: equals the sum of native sales' amounts (design §3). */
export function proceedsTotal(ledger: CampaignLedger): bigint {
  return (
    ledger.proceedsPending +
    ledger.proceedsClaimable +
    ledger.proceedsClaimed +
    ledger.buyerRefunded
  );
}

/** What the contract must hold of the campaign's token for this campaign, base units. */
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

/** Sales that were finalized and not reversed: `settledSales` of the specification. */
export function settledSales(counts: CampaignCounts): number {
  return counts.finalized - counts.reversed;
}

/** Every sale recorded, whatever became of it: what `saleCapacity` counts. */
export function recordedSales(counts: CampaignCounts): number {
  return counts.pending + counts.finalized + counts.refunded;
}
