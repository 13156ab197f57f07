/** The arithmetic of analytics (docs/analytics.md): days, weeks and sums. Times are unix seconds. */

export const DAY_SECONDS = 86_400;
export const WEEK_SECONDS = 604_800;

/** 5 January 1970 was the first Monday. */
const FIRST_MONDAY = 345_600;

/** Days that a period touches at most: a leap year. */
export const DAYS_MOST = 366;

/** Days of a period that nobody names. */
const DAYS_USUAL = 30;

/** From the first second that belongs to it to the first after it. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The 30 whole days in UTC of which the last is the clock's. */
export function usualPeriod(clock: number): Stretch {
  const to = (Math.floor(clock / DAY_SECONDS) + 1) * DAY_SECONDS;
  return { from: to - DAYS_USUAL * DAY_SECONDS, to };
}

/** Of the same length, just before. */
export function periodBefore({ from, to }: Stretch): Stretch {
  return { from: from - (to - from), to: from };
}

/**
 * Where each day of a period begins: at midnight in UTC, or with the period itself.
 *
 * @example
 * // from noon until noon of the next day: [noon, midnight]
 */
export function daysOf({ from, to }: Stretch): number[] {
  const first = Math.floor(from / DAY_SECONDS);
  return Array.from({ length: dayCount({ from, to }) }, (_, i) =>
    Math.max(from, (first + i) * DAY_SECONDS),
  );
}

/** How many days a period touches; none where it is empty. */
export function dayCount({ from, to }: Stretch): number {
  return from < to ? Math.ceil(to / DAY_SECONDS) - Math.floor(from / DAY_SECONDS) : 0;
}

/** The number of a moment's week, which begins on Monday in UTC. */
export function weekOf(time: number): number {
  return Math.floor((time - FIRST_MONDAY) / WEEK_SECONDS);
}

/** When a week begins. */
export function mondayOf(week: number): number {
  return FIRST_MONDAY + week * WEEK_SECONDS;
}

/** What a stretch of time adds up to; amounts in base units of one token. */
export interface Sums {
  readonly pending: number;
  /** Reversed sales included. */
  readonly finalized: number;
  readonly refunded: number;
  readonly value: bigint;
  readonly rewards: bigint;
  readonly links: number;
}

export const noSums: Sums = {
  pending: 0,
  finalized: 0,
  refunded: 0,
  value: 0n,
  rewards: 0n,
  links: 0,
};

export function addSums(a: Sums, b: Sums): Sums {
  return {
    pending: a.pending + b.pending,
    finalized: a.finalized + b.finalized,
    refunded: a.refunded + b.refunded,
    value: a.value + b.value,
    rewards: a.rewards + b.rewards,
    links: a.links + b.links,
  };
}

/** The sums up to and with each, on top of what was there before. */
export function runningSums(before: Sums, list: readonly Sums[]): Sums[] {
  let total = before;
  return list.map((one) => {
    total = addSums(total, one);
    return total;
  });
}
