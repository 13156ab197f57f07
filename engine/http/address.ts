import type { Address } from '../core/events.ts';

/** An address as the ledger keeps it. */
export function lowerAddress(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
