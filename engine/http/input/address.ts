import type { Address } from '../../core/events.ts';

/** Address in lower case, as the ledger stores it. */
export function lowerAddress(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}
