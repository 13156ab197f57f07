/** Decimals that an amount has in a sentence at least, if its token has as many. */
const MIN_DECIMALS = 2;

/**
 * An amount in a sentence for people: whole tokens with all their decimals, and at least two, in ASCII, because wallets
 * and terminals show it.
 * @param amount base units.
 *
 * @example
 * amountText(19_500_000n, { symbol: 'TUSD', decimals: 6 }) // '19.50 TUSD'
 */
export function amountText(
  amount: bigint,
  { symbol, decimals }: { readonly symbol: string; readonly decimals: number },
): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  const fraction = digits
    .slice(at)
    .replace(/0+$/, '')
    .padEnd(Math.min(decimals, MIN_DECIMALS), '0');
  return `${digits.slice(0, at)}${fraction === '' ? '' : `.${fraction}`} ${symbol}`;
}

/** Basis points in a sentence: `12.5 %`. */
export function percentText(bps: number): string {
  return `${bps / 100} %`;
}

/** An address in a sentence for people: its first and last characters. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
