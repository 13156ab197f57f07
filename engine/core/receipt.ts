import type { Address, Hex } from './events.ts';
import type { SaleState } from './fold/state.ts';
import type { ShortPathMode } from './split.ts';

/**
 * The figures of a receipt that verification holds against the chain, in the form in which they are
 * served: amounts and ids as decimal strings, times as ISO 8601. `receipts.get` serves all of it.
 */
export interface ReceiptFigures {
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly saleId: string;
  readonly campaignId: string;
  /** Names the campaign in transactions, because a reorg can give its id to another one. */
  readonly termsHash: Hex;
  readonly buyer: Address;
  /** `null` for a direct sale. */
  readonly nodeId: string | null;
  readonly amount: string;
  readonly skuHash: Hex;
  readonly orderKey: Hex;
  /** Where the SaleRecorded stands. */
  readonly record: EventPlace;
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

export interface EventPlace {
  readonly blockNumber: string;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

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

export interface ReceiptNode {
  readonly nodeId: string;
  readonly parentNodeId: string | null;
  readonly owner: Address;
}

export interface ReceiptSplit {
  readonly gross: string;
  readonly pool: string;
  readonly reserved: string;
  readonly returned: string;
  /** What the caps were applied to, as the campaign stood just before the sale. */
  readonly liabilityBefore: string;
  readonly availableBefore: string;
  readonly shares: readonly ReceiptShare[];
}

export interface ReceiptShare {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly amount: string;
}

/** One event of the sale; `args` as the indexer decoded them, campaignId left out. */
export interface ReceiptTransition extends EventPlace {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}
