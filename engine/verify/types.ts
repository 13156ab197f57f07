import type { Hex } from '../core/events.ts';
import type { ReceiptFields } from '../core/receipt.ts';
import { type CheckName, checkNames } from '../core/receipt-coverage.ts';

/** Result of a check or of a verification; `unavailable` if something could not be read. */
export type Verdict = 'pass' | 'fail' | 'unavailable';

/**
 * Verdict about a receipt. `outdated`: everything matches as of the receipt's block, and the chain has later
 * events of the sale, which the receipt does not show.
 */
export type ReceiptVerdict = Verdict | 'outdated';

export { type CheckName, checkNames };

/** A value of JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A field of the receipt that was not compared, with a sentence that says why. */
export type UncomparedField = {
  readonly field: string;
  readonly reason: string;
};

/** Evidence of a check, for programs: amounts and ids as decimal strings, times as ISO 8601. */
export type Evidence = { readonly [key: string]: JsonValue };

/** Result of one check. */
export interface Check<N extends string = CheckName> {
  readonly name: N;
  readonly status: Verdict;
  /** A sentence for people, with the values. */
  readonly message: string;
  readonly evidence: Evidence;
}

/** Result of verifying a sale against the chain. */
export interface Verification {
  /** Chain id that the RPC returned; `null` if it did not answer. */
  readonly chainId: number | null;
  readonly saleId: string;
  /**
   * `fail` if a check failed, else `unavailable` if one could not be made, else `outdated` if the chain has
   * later events of the sale, else `pass`.
   */
  readonly verdict: ReceiptVerdict;
  /** Why nothing could be compared, as a sentence; `null` if the checks were made. */
  readonly reason: string | null;
  /** The block that everything was read as of; `null` if the RPC did not answer. */
  readonly block: VerifiedBlock | null;
  /** The newest block of the RPC, up to which later events were searched; `null` if it did not answer. */
  readonly newestBlock: VerifiedBlock | null;
  readonly checks: readonly Check[];
  /** Fields of the served receipt that no check compares: what they say is the service's word alone. */
  readonly notCompared: readonly UncomparedField[];
  /** The receipt computed from the chain alone, without the parts that could not be read. */
  readonly facts?: ChainFields;
}

/** A block of the RPC. */
export interface VerifiedBlock {
  readonly number: string;
  readonly hash: Hex;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** Fields of a receipt, computed from the chain alone. */
export type ChainFields = Partial<ReceiptFields>;
