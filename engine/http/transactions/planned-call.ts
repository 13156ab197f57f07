import type { Abi } from 'viem';
import type { Address, Hex } from '../../core/events.ts';

/** A call that somebody may sign: nothing here signs for anyone (docs/api.md, «Transactions»). */
export interface PlannedCall {
  readonly to: Address;
  readonly data: Hex;
  /** Whose errors a revert may name. */
  readonly abi: Abi;
  /** A sentence: what it does, with its amounts. */
  readonly description: string;
  /** Set where an earlier transaction must land first: a simulation now would tell nothing. */
  readonly waits?: true;
}
