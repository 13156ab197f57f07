import { type Abi, decodeErrorResult } from 'viem';
import type { Hex } from '../core/events.ts';

/** Contract error by name, with its arguments: `SaleNotPending(7, 2)`. */
export function revertName(abi: Abi, data: Hex): string {
  if (data === '0x') return 'reverted without a reason';
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi, data });
    return `${errorName}(${args.map(String).join(', ')})`;
  } catch {
    return `reverted with ${data.slice(0, 10)}`;
  }
}
