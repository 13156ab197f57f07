/**
 * Base units of an amount that a person typed, exact: no floating point is involved. Spaces, and commas or narrow spaces
 * between groups of three digits, are ignored.
 * @param text whole tokens with at most `decimals` decimals: `1,234.5`.
 * @returns `undefined` if the text is no such number.
 *
 * @example
 * parseAmount('12.5', 6) // 12_500_000n
 */
export function parseAmount(text: string, decimals: number): bigint | undefined {
  const digits = text.replace(/\s/gu, '').replace(/,(?=\d{3}(?!\d))/g, '');
  const [, whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(digits) ?? [];
  if (whole + fraction === '' || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Message about a text that is no amount of a token; `undefined` if it is one. */
export function amountIssue(text: string, decimals: number): string | undefined {
  if (parseAmount(text, decimals) !== undefined) return undefined;
  return `Must be a number with at most ${decimals} decimals, such as 12.5.`;
}
