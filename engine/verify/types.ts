import type { Hex } from '../core/events.ts';
import type { ReceiptFigures } from '../core/receipt.ts';

export type Verdict = 'pass' | 'fail' | 'unavailable';

/** The checks of a sale, in the order in which they are answered (design §6). */
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
export type CheckName = (typeof checkNames)[number];

/** What JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

export type Evidence = { readonly [key: string]: Json };

export interface Check<N extends string = CheckName> {
  readonly name: N;
  readonly status: Verdict;
  /** A sentence for people, with the figures. */
  readonly message: string;
  /** The figures, for programs: amounts and ids as decimal strings, times as ISO 8601. */
  readonly evidence: Evidence;
}

export interface Verification {
  /** As the RPC says; `null` where it did not answer. */
  readonly chainId: number | null;
  readonly saleId: string;
  /** `fail` where a check failed; else `unavailable` where one could not be made; else `pass`. */
  readonly verdict: Verdict;
  /** The head that everything was read as of; `null` where the RPC did not answer. */
  readonly block: {
    readonly number: string;
    readonly hash: Hex;
    readonly timestamp: string;
  } | null;
  readonly checks: readonly Check[];
  /** The receipt as the chain alone gives it; a part that could not be read is left out. */
  readonly facts?: ChainFigures;
}

/** The figures of a receipt, from the chain alone. */
export type ChainFigures = Partial<ReceiptFigures>;
