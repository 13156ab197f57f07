import type { Address, Hex } from './events.ts';
import type { SaleState } from './fold/state.ts';
import type { ShortPathMode } from './split.ts';

/**
 * The fields of a receipt that verification compares with the chain, in the form in which the API
 * serves them: amounts and ids as decimal strings, times as ISO 8601. `receipts.get` returns all of them.
 */
export interface ReceiptFields {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly saleId: string;
  readonly campaignId: string;
  /** Names the campaign in transactions (docs/protocol.md#names-that-survive-a-reorg). */
  readonly termsHash: Hex;
  readonly buyer: Address;
  /** `null` for a sale without a link. */
  readonly nodeId: string | null;
  readonly amount: string;
  readonly skuHash: Hex;
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
