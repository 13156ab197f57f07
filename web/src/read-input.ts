// What people type into fields for amounts, shares and times, as exact values. No floating point.
import { formatUnits } from 'viem';
import { MAX_CHAIN_AMOUNT } from '../../engine/core/amounts.ts';
import { parseAmount } from './parse-amount.ts';

/** A value, or the reason why a text is none. */
export type Parsed<T> =
  | { readonly value: T; readonly issue?: undefined }
  | { readonly value?: undefined; readonly issue: string };

/**
 * Whole tokens as base units, exactly.
 *
 * @example
 * readAmount('1.25', 6) // { value: 1_250_000n }
 */
export function readAmount(text: string, decimals: number): Parsed<bigint> {
  if (text.trim() === '') return { issue: 'Enter an amount.' };
  const value = parseAmount(text, decimals);
  if (value === undefined) {
    if (!/^[\d\s]*\.?[\d\s]*$/.test(text)) return { issue: 'Enter a number, such as 12.50.' };
    return {
      issue:
        decimals === 0 ? 'Must be a whole number.' : `At most ${decimals} digits after the point.`,
    };
  }
  return value > MAX_CHAIN_AMOUNT
    ? { issue: 'This is more than the contract can hold.' }
    : { value };
}

/** As `readAmount`, for amounts that must be above zero. */
export function readPositive(text: string, decimals: number): Parsed<bigint> {
  const parsed = readAmount(text, decimals);
  return parsed.value === 0n ? { issue: 'Must be above 0.' } : parsed;
}

/** As `readPositive`, for amounts that a limit in base units must not exceed. */
export function readAtMost(text: string, decimals: number, max: bigint): Parsed<bigint> {
  const parsed = readPositive(text, decimals);
  if (parsed.value === undefined || parsed.value <= max) return parsed;
  return { issue: `At most ${amountText(max, decimals)}.` };
}

/** Base units as the text of a field: no grouping, no trailing zeros. The inverse of `readAmount`. */
export function amountText(value: bigint | string, decimals: number): string {
  return formatUnits(BigInt(value), decimals);
}

/**
 * Per cent as basis points, exactly; above 0 and at most 100 %.
 *
 * @example
 * readPercent('12.5') // { value: 1_250 }
 */
export function readPercent(text: string): Parsed<number> {
  const parsed = readPositive(text.replace(/%\s*$/, ''), 2);
  if (parsed.value === undefined) return parsed;
  return parsed.value > 10_000n ? { issue: 'At most 100 %.' } : { value: Number(parsed.value) };
}

/** Basis points as the text of a field: 1250 → `12.5`. */
export function percentText(bps: number): string {
  return formatUnits(BigInt(bps), 2);
}

/** A whole number from 0 to 2^53 − 1. */
export function readCount(text: string): Parsed<number> {
  const parsed = readAmount(text, 0);
  if (parsed.value === undefined) return parsed;
  return parsed.value > BigInt(Number.MAX_SAFE_INTEGER)
    ? { issue: 'This number is too large.' }
    : { value: Number(parsed.value) };
}

/** A time in a `datetime-local` field, in the reader's time zone, as ISO 8601 in UTC. */
export function readTime(text: string): Parsed<string> {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime())
    ? { issue: 'Enter a date and a time.' }
    : { value: at.toISOString() };
}

/** ISO 8601 as the text of a `datetime-local` field, in the reader's time zone, to the second. */
export function timeText(iso: string): string {
  const at = new Date(iso);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  const text = local.toISOString().slice(0, 19);
  return text.endsWith(':00') ? text.slice(0, 16) : text;
}

/** Lines or comma-separated parts of a text, without empty ones. */
export function readList(text: string, separator: RegExp = /[\n,]+/): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Units in which a duration is entered, in seconds; the largest first. */
export const durationUnits = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'minutes'],
] as const;

/** Seconds as a count of the largest unit that divides them: 7200 → `{ count: '2', unit: '3600' }`. */
export function durationText(seconds: number): { count: string; unit: string } {
  const unit = durationUnits.find(([size]) => seconds % size === 0)?.[0] ?? 60;
  return { count: String(Math.ceil(seconds / unit)), unit: String(unit) };
}

/** The value of a text that its field has checked already. @throws {Error} with the issue of the text. */
export function checkedValue<T>(parsed: Parsed<T>): T {
  if (parsed.issue !== undefined) throw new Error(parsed.issue);
  return parsed.value;
}
