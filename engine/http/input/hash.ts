import type { Hex } from '../../core/events.ts';

/** Hash in lower case, as the ledger stores it. */
export function lowerHash(hash: Hex): Hex {
  return `0x${hash.slice(2).toLowerCase()}`;
}

/** Characters of an address and of a hash, with `0x`. */
export const ADDRESS_LENGTH = 42;
export const HASH_LENGTH = 66;

/**
 * An address or hash, or the beginning of one from 4 digits on, in lower case; whole ones may lack `0x`.
 * @returns `undefined` for another text.
 */
export function hexPrefix(text: string): Hex | undefined {
  const lower = text.toLowerCase();
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(lower)) return `0x${lower}`;
  const [, digits] = /^0x([0-9a-f]{4,64})$/.exec(lower) ?? [];
  return digits === undefined ? undefined : `0x${digits}`;
}
