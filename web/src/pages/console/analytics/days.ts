import { word } from '../../../word.ts';

/** Milliseconds of a day. */
const DAY_MS = 86_400_000;

/**
 * The last days in UTC, today included, as a period: it begins and ends at midnight, so the same question is asked all day.
 *
 * @example
 * daysBefore(new Date('2026-01-31T12:00:00Z'), 1) // from 2026-01-31T00:00:00.000Z to 2026-02-01T00:00:00.000Z
 */
export function daysBefore(now: Date, days: number): { from: string; to: string } {
  const end = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
  return { from: new Date(end - days * DAY_MS).toISOString(), to: new Date(end).toISOString() };
}

/** From this many times the period before on, a number is called new: a percentage of nearly nothing says nothing. */
const NEW_TIMES = 10n;

/**
 * How a number changed from one period to the next: `+12 %`, or `new` after a period with nearly nothing; nothing if it had
 * nothing.
 */
export function changeOf(now: bigint, before: bigint): string | undefined {
  if (before <= 0n) return undefined;
  if (now >= before * NEW_TIMES) return word('new');
  const percent = ((now - before) * 100n) / before;
  return `${percent > 0n ? '+' : percent < 0n ? '−' : '±'}${String(percent).replace('-', '')}\u00a0%`;
}
