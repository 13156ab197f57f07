import type { Hex } from '../core/events.ts';
import type { ReceiptFields } from '../core/receipt.ts';

/** Result of a check or of a verification; `unavailable` if something could not be read. */
export type Verdict = 'pass' | 'fail' | 'unavailable';

/** Names of the checks of a sale, in the order of the result (docs/api.md#verifying-a-receipt). */
export const checkNames = [
  'transaction',
  'sale',
  'campaign',
  'policy',
  'path',
  'split',
  'transitions',
  'state',
] as const;
/** Name of a check of a sale. */
export type CheckName = (typeof checkNames)[number];

/** A value of JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

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
  /** `fail` if a check failed, else `unavailable` if one could not be made, else `pass`. */
  readonly verdict: Verdict;
  /** Why nothing could be compared, as a sentence; `null` if the checks were made. */
  readonly reason: string | null;
  /** The block that everything was read as of; `null` if the RPC did not answer. */
  readonly block: {
    readonly number: string;
    readonly hash: Hex;
    readonly timestamp: string;
  } | null;
  readonly checks: readonly Check[];
  /** The receipt computed from the chain alone, without the parts that could not be read. */
  readonly facts?: ChainFields;
}

/** Fields of a receipt, computed from the chain alone. */
export type ChainFields = Partial<ReceiptFields>;
