import { concat, keccak256, numberToHex, stringToHex } from 'viem';
import type { Hex } from '../../../core/events.ts';

/** With what Bor prefixes the key of the receipt of a block's state sync. */
const PREFIX = stringToHex('matic-bor-receipt-');

/**
 * Hash of the transaction that a node of Polygon PoS lists last in a block with a state sync, before the fork
 * Madhugiri (PIP-74). It is in neither of the block's tries.
 */
export function stateSyncHash({ number, hash }: { readonly number: bigint; readonly hash: Hex }) {
  return keccak256(concat([PREFIX, numberToHex(number, { size: 8 }), hash]));
}
