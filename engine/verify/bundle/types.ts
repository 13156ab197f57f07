import type { Address, Hex, TrustMode } from '../../core/events.ts';
import type { SaleState } from '../../core/fold/index.ts';
import type { ReceiptFigures, ReceiptShare } from '../../core/receipt.ts';
import type { Check, Evidence, Verdict } from '../types.ts';

/** What a bundle's first member must say (docs/bundle.md). */
export const BUNDLE_FORMAT = 'tributary-receipt-bundle-1';

/**
 * A sale's receipt with what proves it. Only `headers` and `proofs` say anything new: `receipt` must
 * follow from them, and `chainId`, `contractAddress` and `saleId` say what to look for.
 */
export interface Bundle {
  /** keccak-256 of the canonical JSON of all the rest: against accidents, not against liars. */
  readonly bundleHash: Hex;
  /** A label: no block header names its chain. */
  readonly chainId: number;
  readonly contractAddress: Address;
  readonly format: typeof BUNDLE_FORMAT;
  /** Block headers as RLP, by rising number. */
  readonly headers: readonly Hex[];
  /** The transaction receipts that are proven, by rising block. */
  readonly proofs: readonly BlockProof[];
  readonly receipt: BundleReceipt;
  readonly saleId: string;
}

/** Receipts of one block, and the nodes of its receipts trie from the root to each of them. */
export interface BlockProof {
  /** Decimal digits. */
  readonly blockNumber: string;
  /** RLP, each once, in the order in which the walks to the transactions first meet them. */
  readonly nodes: readonly Hex[];
  /** Rising. */
  readonly transactionIndexes: readonly number[];
}

/** The figures of a receipt that a bundle proves. Those of `receipts.get` that it cannot are left out. */
export interface BundleReceipt
  extends Pick<
    ReceiptFigures,
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
  /** For each vested level the first claim of its recipient after it; oldest first. */
  readonly claims: readonly BundleEvent[];
  /** ISO 8601: the time of the sale's block. */
  readonly soldAt: string;
  readonly split: BundleSplit;
  /** After the newest of the transitions: that nothing followed cannot be proven. */
  readonly state: SaleState;
  /** Everything that happened to the sale, oldest first, its SaleRecorded included. */
  readonly transitions: readonly BundleEvent[];
}

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

/** Amounts in base units, as decimal digits. */
export interface BundleSplit {
  readonly gross: string;
  readonly pool: string;
  /**
   * `policy`: the pool follows from amount and policy alone. `ledger`: it is less, for what the
   * campaign's ledger had left; how much that was is the contract's word.
   */
  readonly poolBoundBy: 'policy' | 'ledger';
  readonly reserved: string;
  readonly returned: string;
  readonly shares: readonly ReceiptShare[];
}

/** An event where a bundle can prove it to stand: by transaction, for receipts hold no hashes. */
export interface BundleEvent {
  readonly args: Evidence;
  readonly blockHash: Hex;
  readonly blockNumber: string;
  /** Its place among the logs of its transaction, from 0. */
  readonly logPosition: number;
  readonly name: string;
  readonly transactionIndex: number;
}

/** The checks of a bundle, in the order in which they are answered (docs/bundle.md). */
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
export type BundleCheckName = (typeof bundleCheckNames)[number];

export type BundleCheck = Check<BundleCheckName>;

/** What the reader knows from elsewhere. */
export interface BundleTrust {
  /** Hashes of blocks that the reader knows to be on the chain. */
  readonly blockHashes: readonly Hex[];
  /** Without it the verdict is `unavailable`: any contract can emit a log. */
  readonly contractAddress?: Address | undefined;
  /** Where given, the bundle's label must be the same. */
  readonly chainId?: number | undefined;
}

/** A block that the conclusion rests on. */
export interface BundleBlock {
  readonly number: string;
  readonly hash: Hex;
  /** ISO 8601. */
  readonly timestamp: string;
  /** `given` by the reader, `linked` by parent hashes to one that was, or `open`. */
  readonly vouched: 'given' | 'linked' | 'open';
}

export interface BundleVerification {
  /** What the bundle says it is about; `null` where it cannot be read. */
  readonly chainId: number | null;
  readonly contractAddress: Address | null;
  readonly saleId: string | null;
  /** `fail` where a check failed; else `unavailable` where one could not be made; else `pass`. */
  readonly verdict: Verdict;
  readonly checks: readonly BundleCheck[];
  /** The blocks with proofs, by rising number: the conclusion holds where all are on the chain. */
  readonly blocks: readonly BundleBlock[];
  /** What the proofs give, by themselves; absent where they give no whole receipt. */
  readonly receipt?: BundleReceipt;
}
