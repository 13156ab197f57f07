import { keccak256 } from 'viem';
import type { Hex } from '../core/events.ts';

/**
 * Whether a block's `logsBloom` may hold an address or a topic (Yellow Paper, §4.3.1). `false` is a
 * proof that no log of the block has it; `true` may be chance.
 */
export function bloomMayHold(bloom: Hex, value: Hex): boolean {
  const hash = keccak256(value);
  return [2, 6, 10].every((at) => {
    const bit = Number.parseInt(hash.slice(at, at + 4), 16) & 2_047;
    const octetAt = 2 + 2 * (255 - (bit >> 3));
    const octet = Number.parseInt(bloom.slice(octetAt, octetAt + 2), 16);
    return (octet & (1 << (bit & 7))) !== 0;
  });
}
