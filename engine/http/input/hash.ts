import type { Hex } from '../../core/events.ts';

/** Hash in lower case, as the ledger stores it. */
export function lowerHash(hash: Hex): Hex {
  return `0x${hash.slice(2).toLowerCase()}`;
}
