/** Numbers and times as people read them. Money is bigint or decimal digits, never `number`. */

/** 10,000 basis points are the whole. */
const BPS = 10_000n;

/** The unit that an amount is shown in. */
export interface Unit {
  readonly symbol: string;
  readonly decimals: number;
}

/** Base units as whole tokens with all decimals and grouped thousands: `1 234.5`. */
export function humanAmount(value: bigint | string, decimals: number): string {
  const [whole = '0', fraction] = formatUnits(BigInt(value), decimals).split('.');
  const grouped = groupDigits(whole);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
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

/** Seconds as the two largest units: `2 days 3 h`, `59 s`. */
export function duration(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const parts: string[] = [];
  let rest = Math.max(0, Math.floor(seconds));
  for (const [size, name] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count === 0 || parts.length === 2) continue;
    parts.push(`${count} ${name === 'day' && count !== 1 ? 'days' : name}`);
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** `2026-01-31 14:05:09 UTC`: the same for every reader. */
export function utcTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `1 sale`, `2 sales`; a plural of its own where it is no `s`. */
export function countOf(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${groupDigits(String(count))} ${BigInt(count) === 1n ? noun : plural}`;
}

/** A word of the interface as a person writes it: `FUNDED_ACTIVE` → `funded active`. */
export function words(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/**
 * Base units as decimal digits of whole tokens, trailing zeros left out.
 *
 * @example
 * formatUnits(1_230_000n, 6) // '1.23'
 */
function formatUnits(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  const fraction = digits.slice(at).replace(/0+$/, '');
  return `${sign}${digits.slice(0, at)}${fraction === '' ? '' : `.${fraction}`}`;
}
