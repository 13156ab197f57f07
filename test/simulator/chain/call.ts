import {
  type Address,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
} from 'viem';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import type { CommerceArgs, CommerceFunction } from '../../../sample/functions.ts';

/** Every function of the contract that changes its state: a history uses them all. */
export const commerceFunctions: readonly CommerceFunction[] = referralCommerceAbi.flatMap((item) =>
  item.type === 'function' && item.stateMutability === 'nonpayable' ? [item.name] : [],
);

/** A call of the contract, or of the blocklist token, that a history makes. */
export type Call = {
  readonly functionName: CommerceFunction | 'setBlocked';
  readonly from: Address;
  /** Default: the contract. */
  readonly to?: Address;
  readonly data: Hex;
  /**
   * The custom error that it must revert with, or `any` where which one depends on the state.
   * Absent: the call is sensible, and reverts where the state has moved on.
   */
  readonly mustRevert?: string;
};

/** Makes a call; `mustRevert` says that the contract has to refuse it. */
export function callOf<const F extends CommerceFunction>(
  from: Address,
  functionName: F,
  args: CommerceArgs<F>,
  mustRevert?: string,
): Call {
  // The types of `args` and `functionName` go together; viem's own generics cannot see it here.
  const data = encodeFunctionData({
    abi: referralCommerceAbi,
    functionName,
    args,
  } as EncodeFunctionDataParameters);
  return { functionName, from, data, ...(mustRevert === undefined ? {} : { mustRevert }) };
}
