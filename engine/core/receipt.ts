import type { AttachedCode } from './calldata-suffix.ts';
import type { Address, Hex, TrustMode } from './events.ts';
import type { SaleState } from './fold/state.ts';
import type { CapReason, ShortPathMode } from './split.ts';

/**
 * The fields of a receipt that verification compares with the chain, in the form in which the API
 * serves them: amounts and ids as decimal strings, times as ISO 8601. `receipts.get` returns all of them.
 */
export interface ReceiptFields {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly saleId: string;
  readonly campaignId: string;
  /** Names the campaign in transactions (docs/reference/protocol.md#names-that-survive-a-reorg). */
  readonly termsHash: Hex;
  readonly buyer: Address;
  /** `null` for a sale without a link. */
  readonly nodeId: string | null;
  readonly amount: string;
  readonly skuHash: Hex;
  /** Its texts are its merchant's, so they are no part of the proof. */
  readonly product: { readonly skuHash: Hex };
  readonly orderKey: Hex;
  /** Location of its SaleRecorded. */
  readonly record: EventLocation;
  readonly policy: ReceiptPolicy;
  readonly holdUntil: string;
  /** The nodes of the rewarded levels, the selling node first. */
  readonly path: readonly ReceiptNode[];
  readonly split: ReceiptSplit;
  readonly state: SaleState;
  readonly refundedTotal: string;
  /** Everything that happened to the sale, oldest first, its SaleRecorded included. */
  readonly transitions: readonly ReceiptTransition[];
  /** The campaign's token, as its creation recorded it. */
  readonly token: ReceiptToken;
  /** Its name and slug are what it called itself, so they are no part of the proof. */
  readonly merchant: { readonly address: Address };
  readonly trustMode: TrustMode;
  /** Time of the block of its SaleRecorded. */
  readonly recordedAt: string;
  /** `null` before it was finalized. */
  readonly finalizedAt: string | null;
  /** Transaction of its SaleRecorded. */
  readonly tx: {
    readonly hash: Hex;
    readonly blockNumber: string;
    readonly at?: string | undefined;
  };
  /** State of each level's reward. */
  readonly levels: readonly ReceiptLevel[];
  /** Rewards that levels of the sale missed. */
  readonly missed: readonly ReceiptMissed[];
  readonly hold: ReceiptHold;
  /** Who attested a sale that was paid elsewhere; `null` for a native sale. */
  readonly attestation: { readonly signer: Address; readonly nonce: string } | null;
  readonly attribution: ReceiptAttribution;
}

/** The node that a sale counts for, and the codes that its transaction names. */
export interface ReceiptAttribution {
  /** The node in the call, which alone decides who is rewarded; `null` for a sale without a link. */
  readonly nodeId: string | null;
  /**
   * Codes that are attached to the transaction's calldata (calldata-suffix.ts); `null` if they are not known, or if the
   * transaction does not call the contract itself.
   */
  readonly codes: readonly AttachedCode[] | null;
}

/** A token, as the contract read it when the campaign was created. */
export interface ReceiptToken {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
  /** Omitted if the token reports none. */
  readonly name?: string | undefined;
}

/** State of the reward of one level. */
export type RewardState = 'reserved' | 'claimable' | 'claimed' | 'refunded' | 'reversed';

/** The reward of one level and what became of it; base units. */
export interface ReceiptLevel {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly state: RewardState;
  readonly share: string;
  readonly reserved: string;
  readonly released: string;
  readonly vested: string;
  readonly reversed: string;
}

/** A reward that a level missed; `amount` in base units, `null` for the ancestor beyond the rewarded levels. */
export interface ReceiptMissed {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly reason: CapReason | 'DEPTH';
  readonly amount: string | null;
}

/** How long the rewards are held, and whether that is over at the block that was read. */
export interface ReceiptHold {
  readonly holdSeconds: number;
  readonly holdUntil: string;
  readonly over: boolean;
}

/** Amounts of a level, base units, and whether its recipient has claimed since it vested. */
export interface LevelAmounts {
  readonly reserved: bigint;
  readonly released: bigint;
  readonly vested: bigint;
  readonly reversed: bigint;
  readonly isClaimed: boolean;
}

/**
 * State of a level's reward (docs/reference/protocol.md#state). A level of nothing, which no event ever changes, has
 * the state of its sale.
 */
export function rewardState(level: LevelAmounts, saleState: SaleState): RewardState {
  if (level.reversed > 0n) return 'reversed';
  if (level.vested > 0n) return level.isClaimed ? 'claimed' : 'claimable';
  if (level.reserved > 0n) return 'reserved';
  if (level.released > 0n) return 'refunded';
  const states = { pending: 'reserved', finalized: 'claimable' } as const;
  return saleState === 'pending' || saleState === 'finalized' ? states[saleState] : saleState;
}

/** Location of an event on the chain, as the API serves it. */
export interface EventLocation {
  readonly blockNumber: string;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** The policy of a sale, as the API serves it: amounts as decimal strings, times as ISO 8601. */
export interface ReceiptPolicy {
  readonly version: number;
  readonly effectiveAt: string;
  readonly rewardToken: Address;
  readonly commissionBps: number;
  readonly perSaleCap: string;
  readonly campaignLiabilityCap: string;
  readonly maxRewardedAncestors: number;
  readonly weightsBps: readonly number[];
  readonly shortPathMode: ShortPathMode;
  readonly holdSeconds: number;
  readonly expiry: string;
  readonly excludesSelfReferral: boolean;
  readonly regions: readonly string[];
  readonly sharingRules: readonly string[];
  readonly eligibilityHash: Hex;
  readonly policyHash: Hex;
}

/** A node on the path of a sale. */
export interface ReceiptNode {
  readonly nodeId: string;
  readonly parentNodeId: string | null;
  readonly owner: Address;
}

/** The split of a sale, as the API serves it: base units as decimal strings. */
export interface ReceiptSplit {
  readonly gross: string;
  readonly pool: string;
  readonly reserved: string;
  readonly returned: string;
  /** Liability of the campaign just before the sale, which the caps were applied to. */
  readonly liabilityBefore: string;
  readonly availableBefore: string;
  readonly shares: readonly ReceiptShare[];
}

/** The reward of one level of a sale; `amount` in base units. */
export interface ReceiptShare {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly amount: string;
}

/** One event of a sale; `args` as the indexer decoded them, without campaignId. */
export interface ReceiptTransition extends EventLocation {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}
