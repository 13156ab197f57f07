import type { Abi } from 'viem';
import type { Address, Hex } from '../../../core/events.ts';

/** Call that a user may sign: this service never signs (docs/reference/api.md#transactions). */
export interface PlannedCall {
  readonly to: Address;
  readonly data: Hex;
  /** ABI with the errors that a revert may name. */
  readonly abi: Abi;
  /** Sentence that describes the effect, with amounts. */
  readonly description: string;
  /** Set if the call may answer `false` where others revert (EIP-20). */
  readonly mayDeny?: true;
  /** Set if an earlier transaction must be included first, so that a simulation now is meaningless. */
  readonly waits?: true;
}
