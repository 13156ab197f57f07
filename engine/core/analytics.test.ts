import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addTotals,
  DAY_SECONDS,
  dayCount,
  daysOf,
  defaultPeriod,
  mondayOf,
  type PeriodTotals,
  previousPeriod,
  runningTotals,
  WEEK_SECONDS,
  weekOf,
  zeroTotals,
} from './analytics.ts';

const at = (text: string) => Date.parse(text) / 1_000;

describe('a period', () => {
  it('defaults to the 30 days up to the current one', () => {
    const days = { from: at('2024-02-01T00:00:00Z'), to: at('2024-03-02T00:00:00Z') };
    expect(defaultPeriod(at('2024-03-01T00:00:00Z'))).toEqual(days);
    expect(defaultPeriod(at('2024-03-01T23:59:59Z'))).toEqual(days);
  });

  it('divides a period at each midnight', () => {
    const noon = at('2024-03-30T12:00:00Z');
    expect(daysOf({ from: noon, to: noon + DAY_SECONDS })).toEqual([
      noon,
      at('2024-03-31T00:00:00Z'),
    ]);
    expect(daysOf({ from: noon, to: noon + 1 })).toEqual([noon]);
    expect(daysOf({ from: noon, to: noon })).toEqual([]);
    expect(previousPeriod({ from: 100, to: 130 })).toEqual({ from: 70, to: 100 });
  });

  it('divides a period into adjacent days without gaps', () => {
    const moment = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 400 * DAY_SECONDS }), (from, length) => {
        const period = { from, to: from + length };
        const days = daysOf(period);
        expect(days).toHaveLength(dayCount(period));
        expect(days[0]).toBe(from);
        for (const day of days.slice(1)) expect(day % DAY_SECONDS).toBe(0);
        expect(period.to - (days.at(-1) ?? 0)).toBeGreaterThan(0);
        expect(period.to - (days.at(-1) ?? 0)).toBeLessThanOrEqual(DAY_SECONDS);
      }),
    );
  });
});

describe('a week', () => {
  it('begins weeks on Monday in UTC', () => {
    fc.assert(
      fc.property(fc.integer({ min: 345_600, max: 4_000_000_000 }), (time) => {
        const monday = mondayOf(weekOf(time));
        expect(new Date(monday * 1_000).getUTCDay()).toBe(1);
        expect(monday % DAY_SECONDS).toBe(0);
        expect(time - monday).toBeGreaterThanOrEqual(0);
        expect(time - monday).toBeLessThan(WEEK_SECONDS);
      }),
    );
  });
});

describe('running totals', () => {
  it('adds the totals of each day to those before it', () => {
    const one: PeriodTotals = {
      pending: 1,
      finalized: 2,
      refunded: 3,
      value: 4n,
      rewards: 5n,
      links: 6,
    };
    expect(runningTotals(one, [one, zeroTotals, one])).toEqual([
      addTotals(one, one),
      addTotals(one, one),
      { pending: 3, finalized: 6, refunded: 9, value: 12n, rewards: 15n, links: 18 },
    ]);
  });
});
