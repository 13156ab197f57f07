import { MAX_CHAIN_AMOUNT } from '../../engine/core/amounts.ts';
import { exactMoney, type Unit } from './format.ts';
import { type Parsed, readPositive } from './read-input.ts';

/** True for a limit of an attester that limits nothing: the largest amount that the contract takes in. */
export const isNoLimit = (amount: string): boolean => BigInt(amount) === MAX_CHAIN_AMOUNT;

/** A limit in words: `64 TUSD`. */
export function limitText(amount: string, token: Unit): string {
  return isNoLimit(amount) ? 'No limit' : exactMoney(amount, token);
}

/** The limit in a field, base units; an empty field limits nothing. */
export function readLimit(text: string, decimals: number): Parsed<bigint> {
  return text.trim() === '' ? { value: MAX_CHAIN_AMOUNT } : readPositive(text, decimals);
}
