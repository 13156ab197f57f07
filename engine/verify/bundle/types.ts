import type { Address, Hex, TrustMode } from '../../core/events.ts';
import type { SaleState } from '../../core/fold/index.ts';
import type { ReceiptFields, ReceiptShare } from '../../core/receipt.ts';
import type { Check, Evidence, Verdict } from '../types.ts';

/** Value of a bundle's `format` (docs/reference/bundle.md). */
export const BUNDLE_FORMAT = 'tributary-receipt-bundle-2';

/**
 * A sale's receipt with its proofs. Only `headers` and `proofs` are information: `receipt` must follow
 * from them, and `chainId`, `contractAddress` and `saleId` say what to search for.
 */
export interface Bundle {
  /** keccak-256 of the canonical JSON of the other members. It detects damage, not forgery. */
  readonly bundleHash: Hex;
  /** A label: no block header names its chain. */
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly format: typeof BUNDLE_FORMAT;
  /** Block headers as RLP, in ascending order. */
  readonly headers: readonly Hex[];
  /** Proofs of transaction receipts, in ascending order of their blocks. */
  readonly proofs: readonly BlockProof[];
  readonly receipt: BundleReceipt;
  readonly saleId: string;
}

/** Receipts of one block, and the nodes of its receipts trie from the root to each of them. */
export interface BlockProof {
  /** Decimal digits. */
  readonly blockNumber: string;
  /** Nodes as RLP, each once, in the order in which the walks to the transactions first visit them. */
  readonly nodes: readonly Hex[];
  /** Indexes in the block, ascending. */
  readonly transactionIndexes: readonly number[];
}

/** The receipt that a bundle proves: the fields of `receipts.get` except those that cannot be proven. */
export interface BundleReceipt
  extends Pick<
    ReceiptFields,
    | 'amount'
    | 'buyer'
    | 'campaignId'
    | 'holdUntil'
    | 'nodeId'
    | 'orderKey'
    | 'path'
    | 'policy'
    | 'refundedTotal'
    | 'skuHash'
  > {
  readonly campaign: BundleCampaign;
  /** The first claim of the recipient after each vesting, oldest first. */
  readonly claims: readonly BundleEvent[];
  /** ISO 8601: the time of the sale's block. */
  readonly soldAt: string;
  readonly split: BundleSplit;
  /** State after the newest transition. That no event followed cannot be proven. */
  readonly state: SaleState;
  /** Everything that happened to the sale, oldest first, its SaleRecorded included. */
  readonly transitions: readonly BundleEvent[];
}

/** Campaign of the sale, as a bundle shows it. */
export interface BundleCampaign {
  readonly merchant: Address;
  readonly metadataHash: Hex;
  readonly salt: Hex;
  readonly termsHash: Hex;
  readonly token: Address;
  readonly tokenDecimals: number;
  readonly tokenName: string;
  readonly tokenSymbol: string;
  readonly trustMode: TrustMode;
}

/** Split of the sale, as a bundle shows it; amounts in base units, as decimal digits. */
export interface BundleSplit {
  readonly gross: string;
  readonly pool: string;
  /**
   * `policy`: the pool follows from amount and policy alone. `ledger`: it is less, because the campaign
   * had too little budget left; how much that was, only the contract reports.
   */
  readonly poolBoundBy: 'policy' | 'ledger';
  readonly reserved: string;
  readonly returned: string;
  readonly shares: readonly ReceiptShare[];
}

/** An event with the location that a bundle can prove: by transaction index, as receipts hold no hashes. */
export interface BundleEvent {
  readonly args: Evidence;
  readonly blockHash: Hex;
  readonly blockNumber: string;
  /** Index among the logs of its transaction, from 0. */
  readonly logPosition: number;
  readonly name: string;
  readonly transactionIndex: number;
}

/** Names of the checks of a bundle, in the order of the result (docs/reference/bundle.md#the-checks). */
export const bundleCheckNames = [
  'format',
  'contract',
  'blocks',
  'proofs',
  'campaign',
  'sale',
  'policy',
  'path',
  'split',
  'transitions',
  'state',
  'figures',
] as const;
/** Name of a check of a bundle. */
export type BundleCheckName = (typeof bundleCheckNames)[number];

/** Result of one check of a bundle. */
export type BundleCheck = Check<BundleCheckName>;

/** Facts that the reader of a bundle knows from another source. */
export interface BundleTrust {
  /** Hashes of blocks that the reader knows to be on the chain. */
  readonly blockHashes: readonly Hex[];
  /** The contract to trust. Without it the verdict is `unavailable`: any contract can emit a log. */
  readonly contractAddress?: Address | undefined;
  /** If given, the bundle's `chainId` must equal it. */
  readonly chainId?: number | undefined;
}

/** A block that the verdict depends on. */
export interface BundleBlock {
  readonly number: string;
  readonly hash: Hex;
  /** ISO 8601. */
  readonly timestamp: string;
  /** `given` by the reader, `linked` by parent hashes to one that was, or `open`. */
  readonly vouched: 'given' | 'linked' | 'open';
}

/** Result of verifying a bundle. */
export interface BundleVerification {
  /** Chain, contract and sale that the bundle names; `null` if it cannot be read. */
  readonly chainId: number | null;
  readonly contractAddress: Address | null;
  readonly saleId: string | null;
  /** `fail` if a check failed, else `unavailable` if one could not be made, else `pass`. */
  readonly verdict: Verdict;
  readonly checks: readonly BundleCheck[];
  /** The blocks with proofs, in ascending order. The verdict holds if all of them are on the chain. */
  readonly blocks: readonly BundleBlock[];
  /** Receipt that follows from the proofs alone; absent if they do not prove all of it. */
  readonly receipt?: BundleReceipt;
}
