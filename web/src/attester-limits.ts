import { humanAmount, type Unit } from './format.ts';
import { type Parsed, readPositive } from './read-input.ts';

/** The limit of an attester that limits nothing: the largest amount that the contract takes in. */
export const NO_LIMIT = (1n << 128n) - 1n;

export const isNoLimit = (amount: string): boolean => BigInt(amount) === NO_LIMIT;

/** A limit in words: `64 TUSD`. */
export function limitText(amount: string, token: Unit): string {
  return isNoLimit(amount) ? 'No limit' : `${humanAmount(amount, token.decimals)} ${token.symbol}`;
}

/** The limit in a field, base units; an empty field limits nothing. */
export function readLimit(text: string, decimals: number): Parsed<bigint> {
  return text.trim() === '' ? { value: NO_LIMIT } : readPositive(text, decimals);
}
