import type { TimeRange } from './analytics.ts';
import type { Balances } from './fold/state.ts';

/** Length of the periods of a statement: calendar days or months in UTC. */
export type StatementInterval = 'day' | 'month';

/** Largest number of periods of a statement: a leap year of days, five years of months. */
export const maxPeriods: Readonly<Record<StatementInterval, number>> = { day: 366, month: 60 };

/** Periods of a statement whose request names no range: 30 days, or 12 months. */
const defaultPeriods: Readonly<Record<StatementInterval, number>> = { day: 30, month: 12 };

/** Unix seconds from and until which a range is accepted: years 1970 to 9998. */
const EARLIEST = 0;
const LATEST = 253_370_764_800;

/**
 * Unix seconds at which the periods that a range touches begin, and the end of the last one: one more than
 * there are periods. There is at least one period.
 * @returns `undefined` if there are more periods than `maxPeriods`, or the range is not within 1970 to 9998.
 */
export function periodEdges(
  interval: StatementInterval,
  { from, to }: TimeRange,
): readonly number[] | undefined {
  if (from < EARLIEST || to > LATEST) return undefined;
  const edges = [startOf(interval, from, 0)];
  for (let n = 1; n <= maxPeriods[interval]; n += 1) {
    const edge = startOf(interval, from, n);
    edges.push(edge);
    if (edge >= to) return edges;
  }
  return undefined;
}

/**
 * `periodEdges` of a request that names no range: the last period is the clock's.
 * @param clock unix seconds.
 */
export function defaultEdges(interval: StatementInterval, clock: number): readonly number[] {
  const count = defaultPeriods[interval];
  return Array.from({ length: count + 1 }, (_, n) => startOf(interval, clock, n + 1 - count));
}

/** Start of the period that is `n` periods after that of a moment, unix seconds. */
function startOf(interval: StatementInterval, moment: number, n: number): number {
  const date = new Date(moment * 1_000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const start = interval === 'day' ? Date.UTC(year, month, day + n) : Date.UTC(year, month + n, 1);
  return start / 1_000;
}

/** Movements of an account's rewards in a period, base units (docs/how-it-works/settlement.md#buckets). */
export interface Movements {
  /** Recorded with sales: into `reserved`. */
  readonly earned: bigint;
  /** Released by refunds: from `reserved` to `refunded`. */
  readonly refunded: bigint;
  /** Made claimable by finalization: from `reserved` to `claimable`. */
  readonly vested: bigint;
  /** Paid: from `claimable` to `claimed`. */
  readonly claimed: bigint;
  /** Reversed after finalization: from `claimable` to `reversed`. */
  readonly reversed: bigint;
}

/**
 * The movements that lead from the balances before a period to those after it. Each bucket follows from them:
 * `reserved` = opening + earned − refunded − vested, `claimable` = opening + vested − claimed − reversed, and
 * the other three are the opening plus the movement of their name.
 *
 * Rewards never leave these five buckets, so what was earned is their total, and what was vested is the total
 * of the three that follow finalization. An amount that a discrepancy returned to the budget is deducted from
 * `earned` (docs/how-it-works/settlement.md#predict-then-prove).
 */
export function movementsBetween(opening: Balances, closing: Balances): Movements {
  return {
    earned: earnedOf(closing) - earnedOf(opening),
    refunded: closing.refunded - opening.refunded,
    vested: vestedOf(closing) - vestedOf(opening),
    claimed: closing.claimed - opening.claimed,
    reversed: closing.reversed - opening.reversed,
  };
}

function earnedOf(balances: Balances): bigint {
  return balances.reserved + balances.refunded + vestedOf(balances);
}

function vestedOf({ claimable, claimed, reversed }: Balances): bigint {
  return claimable + claimed + reversed;
}
