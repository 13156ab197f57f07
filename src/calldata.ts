import type { Address, Hex } from 'viem';

/** The last bytes of calldata that has a suffix of codes (ERC-8021). */
const MARKER = '80218021802180218021802180218021';

/** Bytes that are stored: settlement reads no longer suffix (engine/core/calldata-suffix.ts). */
const MAX_BYTES = 512;

/** The end of calldata that has a suffix of codes, with what comes before it up to a limit; otherwise `0x`. */
export function endOfCalldata(input: Hex): Hex {
  const digits = input
    .slice(2)
    .slice(-2 * MAX_BYTES)
    .toLowerCase();
  return digits.endsWith(MARKER) ? `0x${digits}` : '0x';
}

/**
 * The end of the calldata of a transaction that calls the contract of a log itself. `null` for a transaction that calls
 * another one, such as a wallet: what is attached to its calldata may be about other calls.
 */
export function calldataEndOf(
  transaction: { readonly to: Address | null; readonly input: Hex },
  log: { readonly address: Address },
): Hex | null {
  const isDirect = transaction.to?.toLowerCase() === log.address.toLowerCase();
  return isDirect ? endOfCalldata(transaction.input) : null;
}
