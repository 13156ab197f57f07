/** The largest id of a bigint column. The contract counts in uint256, and never gets there. */
const LARGEST_ID = 2n ** 63n - 1n;

/**
 * An id as the ledger stores it.
 * @returns `undefined` for one that no ledger can hold: `demo-…`, or beyond the column's range.
 */
export function ledgerId(id: string): string | undefined {
  if (!/^[0-9]{1,19}$/.test(id)) return undefined;
  return BigInt(id) <= LARGEST_ID ? id : undefined;
}

/** An int8 column that the protocol bounds to 2^53 − 1. */
export function toInteger(column: string): number {
  const value = Number(column);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${column} is not a safe integer`);
  return value;
}

/** An int8 column that can be null and is limited to 2^53 − 1. */
export function toIntegerOrNull(column: string | null): number | null {
  return column === null ? null : toInteger(column);
}

/** An id for a look-up: one that no row has, if the ledger cannot hold the requested id. */
export function probeId(id: string): string {
  return ledgerId(id) ?? '-1';
}
