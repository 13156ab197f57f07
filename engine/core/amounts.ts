/** The largest amount that the contract takes in, base units: 2^128 − 1 (docs/reference/protocol.md#amounts-that-add-up). */
export const MAX_CHAIN_AMOUNT = (1n << 128n) - 1n;

/** Smaller of two amounts. */
export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Larger of two amounts. */
export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Total of amounts; 0 if there are none. */
export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/**
 * Base units in whole tokens, exact, without digits that say nothing.
 *
 * @example
 * wholeTokens('16770000', 6) // '16.77'
 */
export function wholeTokens(baseUnits: bigint | string, decimals: number): string {
  const text = String(baseUnits);
  const [sign, digits] = text.startsWith('-') ? ['-', text.slice(1)] : ['', text];
  const padded = digits.padStart(decimals + 1, '0');
  const end = padded.length - decimals;
  const fraction = padded.slice(end).replace(/0+$/, '');
  return `${sign}${padded.slice(0, end)}${fraction === '' ? '' : `.${fraction}`}`;
}
