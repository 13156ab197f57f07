import { describe, expect, it } from 'vitest';
import { allPeriods, periodName } from './all-periods.ts';

const balances = (reserved: string) => ({
  ...{ reserved, claimable: '0', claimed: '0', refunded: '0', reversed: '0' },
});
const earned = (amount: string) => ({
  ...{ earned: amount, refunded: '0', vested: '0', claimed: '0', reversed: '0', missed: '0' },
});
const second = {
  from: '2026-02-01T00:00:00.000Z',
  to: '2026-03-01T00:00:00.000Z',
  opening: balances('1'),
  movements: earned('4'),
  closing: balances('5'),
};

describe('allPeriods', () => {
  const statement = {
    interval: 'month',
    from: '2026-01-01T00:00:00.000Z',
    to: '2027-01-01T00:00:00.000Z',
  } as const;

  it('fills months without movements with the balances before them, up to now', () => {
    const token = { opening: balances('1'), periods: [second] };
    const all = allPeriods(statement, token, '2026-03-05T10:00:00.000Z');
    expect(all.map(({ from }) => periodName(from, 'month'))).toEqual([
      ...['2026-01', '2026-02', '2026-03'],
    ]);
    expect(all.map(({ closing }) => closing.reserved)).toEqual(['1', '5', '5']);
    expect(all.map(({ movements }) => movements.earned)).toEqual(['0', '4', '0']);
  });

  it('counts calendar days over the end of a month', () => {
    const days = {
      interval: 'day',
      from: '2026-02-27T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
    } as const;
    const all = allPeriods(days, { opening: balances('0'), periods: [] }, days.to);
    expect(all.map(({ from }) => periodName(from, 'day'))).toEqual([
      ...['2026-02-27', '2026-02-28', '2026-03-01'],
    ]);
  });
});
