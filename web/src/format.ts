/** Numbers and times as people read them. Money is bigint or decimal digits, never `number`. */
import { wholeTokens } from '../../engine/core/amounts.ts';
import { language, translatedNames } from './translation.ts';

/** 10,000 basis points are the whole. */
const BPS = 10_000n;

/** The unit that an amount is shown in. */
export interface Unit {
  readonly symbol: string;
  readonly decimals: number;
}

/** Base units as whole tokens with all decimals and grouped thousands, as a field takes them: `1 234.5`. */
export function humanAmount(value: bigint | string, decimals: number): string {
  const [whole = '0', fraction] = wholeTokens(BigInt(value), decimals).split('.');
  const grouped = groupDigits(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Decimals that an amount has at least, and by default at most, if its token has as many. */
const CENTS = 2;

/**
 * An amount as people read money: two decimals. The rest is cut off: a page never shows more than there is. An
 * amount below a hundredth has its first two digits that are not zero.
 *
 * @example
 * shortAmount(64_000_000n, 6) // '64.00'
 * shortAmount(18_912_599n, 6) // '18.91'
 * shortAmount(1_234n, 6) // '0.0012'
 */
export function shortAmount(value: bigint | string, decimals: number): string {
  const [whole = '0', fraction = ''] = exactAmount(value, decimals).split('.');
  if (fraction === '') return whole;
  const isTiny = /^-?0$/.test(whole) && /^0{2}0*[1-9]/.test(fraction);
  const shown = isTiny ? fraction.search(/[1-9]/) + 2 : CENTS;
  const cut = fraction.slice(0, shown);
  return isTiny ? `${whole}.${cut.replace(/0+$/, '')}` : `${whole}.${cut}`;
}

/**
 * An amount with all its decimals, two at least.
 *
 * @example
 * exactAmount(19_500_000n, 6) // '19.50'
 * exactAmount(2_812_500n, 6) // '2.8125'
 */
export function exactAmount(value: bigint | string, decimals: number): string {
  const [whole = '0', fraction = ''] = humanAmount(value, decimals).split('.');
  const shown = fraction.padEnd(Math.min(CENTS, decimals), '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}

/** An amount as people read money, with its unit: `19.50 TUSD`. */
export function money(value: bigint | string, { decimals, symbol }: Unit): string {
  return `${shortAmount(value, decimals)}\u00a0${symbol}`;
}

/** An amount with all its decimals and its unit. */
export function exactMoney(value: bigint | string, { decimals, symbol }: Unit): string {
  return `${exactAmount(value, decimals)}\u00a0${symbol}`;
}

/** Digits in threes, by a thin space that no line breaks at: `1 234 567`. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** `0x1234…abcd`: enough to distinguish hashes by eye; the page always has all of it for machines. */
export function shortHex(hex: string): string {
  return hex.length <= 14 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

/** Basis points as per cent: 1250 → `12.5 %`. */
export function percent(bps: number | bigint): string {
  const value = BigInt(bps);
  const whole = value / 100n;
  const rest = (value % 100n).toString().padStart(2, '0').replace(/0+$/, '');
  return `${whole}${rest === '' ? '' : `.${rest}`}\u00a0%`;
}

/** The part of a whole in basis points, rounded down; 0 of nothing. */
export function partBps(part: bigint, whole: bigint): bigint {
  return whole === 0n ? 0n : (part * BPS) / whole;
}

/**
 * Parts of a whole as per cent with two decimals that add up to exactly 100 %, by the largest remainder (Hamilton).
 * Parts below zero, and parts of nothing, are `0 %`.
 */
export function percentages(parts: readonly bigint[]): string[] {
  const positive = parts.map((part) => (part > 0n ? part : 0n));
  const whole = positive.reduce((sum, part) => sum + part, 0n);
  if (whole === 0n) return parts.map(() => percent(0));
  const bps = positive.map((part) => (part * BPS) / whole);
  const missing = Number(BPS - bps.reduce((sum, part) => sum + part, 0n));
  const byRemainder = positive
    .map((part, index) => ({ index, remainder: (part * BPS) % whole }))
    .sort((a, b) => (a.remainder === b.remainder ? 0 : a.remainder > b.remainder ? -1 : 1));
  for (const { index } of byRemainder.slice(0, missing)) bps[index] = (bps[index] ?? 0n) + 1n;
  return bps.map((part) => percent(part));
}

/** Seconds as the two largest units: `2 days 3 h`, `59 s`. */
export function duration(seconds: number): string {
  const units = [
    [86_400, (days: number) => countOf(days, 'day')],
    [3_600, (hours: number) => `${hours} h`],
    [60, (minutes: number) => `${minutes} min`],
    [1, (rest: number) => `${rest} s`],
  ] as const;
  const parts: string[] = [];
  let rest = Math.max(0, Math.floor(seconds));
  for (const [size, inWords] of units) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0 && parts.length < 2) parts.push(inWords(whole));
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** `2026-01-31 14:05:09 UTC`: the same for every reader. */
export function utcTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `31 Jan 2026, 15:05`: in the reader's time zone. Its title has the seconds, in UTC. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return at.toLocaleString(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
}

/** Milliseconds within which a time is written as a distance. */
const NEAR_MS = 7 * 86_400_000;

/** `3 minutes ago`, `in 2 hours`; `undefined` for times a week or more from now (milliseconds since 1970). */
export function relativeTime(iso: string, now: number): string | undefined {
  const distance = new Date(iso).getTime() - now;
  if (Number.isNaN(distance) || Math.abs(distance) >= NEAR_MS) return undefined;
  const seconds = Math.round(distance / 1_000);
  if (Math.abs(seconds) < 45) return distance > 0 ? 'in a moment' : 'just now';
  const [size, unit] =
    Math.abs(seconds) < 2_700
      ? ([60, 'minute'] as const)
      : Math.abs(seconds) < 79_200
        ? ([3_600, 'hour'] as const)
        : ([86_400, 'day'] as const);
  return new Intl.RelativeTimeFormat(language).format(Math.round(seconds / size), unit);
}

/** A number with grouped digits: `1 234`. */
export function count(value: number | bigint): string {
  return groupDigits(String(value));
}

/** `1 sale`, `2 sales`; a plural of its own where it is no `s`. */
export function countOf(number: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${BigInt(number) === 1n ? noun : plural}`;
}

/** A name of the interface as a person writes it: `FUNDED_ACTIVE` → `funded active`. */
export function words(name: string): string {
  const english = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return translatedNames[english] ?? english;
}
