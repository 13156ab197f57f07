import { parseUnits } from 'viem';

/** The test tokens of the sample: one with six decimals, one with eighteen. */
export const tokens = {
  dollar: { name: 'Tributary Dollar', symbol: 'TUSD', decimals: 6 },
  credit: { name: 'River Credit', symbol: 'RVC', decimals: 18 },
} as const;

export type TokenKey = keyof typeof tokens;

/** Base units of an amount in whole tokens, such as `18.75`. */
export function baseUnits(token: TokenKey, amount: string): bigint {
  return parseUnits(amount, tokens[token].decimals);
}
