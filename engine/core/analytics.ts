// The arithmetic of analytics (docs/use/analytics.md): days, weeks and totals. Times are Unix seconds.

/** Seconds of a day. */
export const DAY_SECONDS = 86_400;
/** Seconds of a week. */
export const WEEK_SECONDS = 604_800;

/** 5 January 1970 was the first Monday. */
const FIRST_MONDAY = 345_600;

/** Largest number of days that a period may touch: a leap year. */
export const MAX_DAYS = 366;

const DEFAULT_DAYS = 30;

/** A range of time in Unix seconds: `from` belongs to it, `to` does not. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** The period of a request that names none: 30 whole days in UTC, the last one the clock's. */
export function defaultPeriod(clock: number): TimeRange {
  const to = (Math.floor(clock / DAY_SECONDS) + 1) * DAY_SECONDS;
  return { from: to - DEFAULT_DAYS * DAY_SECONDS, to };
}

/** The period of the same length that ends where this one begins. */
export function previousPeriod({ from, to }: TimeRange): TimeRange {
  return { from: from - (to - from), to: from };
}

/**
 * Unix seconds at which each day of a period begins: midnight in UTC, or the start of the period.
 *
 * @example
 * // from noon until noon of the next day: [noon, midnight]
 */
export function daysOf({ from, to }: TimeRange): number[] {
  const first = Math.floor(from / DAY_SECONDS);
  return Array.from({ length: dayCount({ from, to }) }, (_, i) =>
    Math.max(from, (first + i) * DAY_SECONDS),
  );
}

/** Number of days in UTC that a period touches; 0 if it is empty. */
export function dayCount({ from, to }: TimeRange): number {
  return from < to ? Math.ceil(to / DAY_SECONDS) - Math.floor(from / DAY_SECONDS) : 0;
}

/** Number of the week that a time (Unix seconds) is in; weeks begin on Monday in UTC. */
export function weekOf(time: number): number {
  return Math.floor((time - FIRST_MONDAY) / WEEK_SECONDS);
}

/** Unix seconds at which a week begins. */
export function mondayOf(week: number): number {
  return FIRST_MONDAY + week * WEEK_SECONDS;
}

/** Totals of a range of time; amounts in base units of one token. */
export interface PeriodTotals {
  readonly pending: number;
  /** Reversed sales included. */
  readonly finalized: number;
  readonly refunded: number;
  readonly value: bigint;
  readonly rewards: bigint;
  readonly links: number;
}

/** Totals of a range of time in which nothing happened. */
export const zeroTotals: PeriodTotals = {
  pending: 0,
  finalized: 0,
  refunded: 0,
  value: 0n,
  rewards: 0n,
  links: 0,
};

/** Adds the totals of two ranges of time, field by field. */
export function addTotals(a: PeriodTotals, b: PeriodTotals): PeriodTotals {
  return {
    pending: a.pending + b.pending,
    finalized: a.finalized + b.finalized,
    refunded: a.refunded + b.refunded,
    value: a.value + b.value,
    rewards: a.rewards + b.rewards,
    links: a.links + b.links,
  };
}

/** For each entry of the list, the total of `before` and all entries up to and including it. */
export function runningTotals(before: PeriodTotals, list: readonly PeriodTotals[]): PeriodTotals[] {
  let total = before;
  return list.map((one) => {
    total = addTotals(total, one);
    return total;
  });
}
