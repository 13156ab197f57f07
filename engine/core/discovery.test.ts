import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discoveryRank } from './discovery.ts';

const NOW = 1_700_000_000;
const MONTH = 2_592_000;
const nothing = {
  settledConversions: 0,
  refundedSales: 0,
  reversedSales: 0,
  merchantCount: 0,
  lastSettledAt: null,
};
const pointsOf = (totals: Partial<Parameters<typeof discoveryRank>[0]>) =>
  discoveryRank({ ...nothing, ...totals }, NOW).signals.map(({ value }) => value);

describe('discovery-v1', () => {
  it('gives a distributor 0 to 10000 points', () => {
    expect(discoveryRank(nothing, NOW)).toMatchObject({ score: 0, slot: 'new' });
    const best = { ...nothing, settledConversions: 512, merchantCount: 5, lastSettledAt: NOW };
    expect(discoveryRank(best, NOW)).toMatchObject({ score: 10_000, slot: 'ranked' });
  });

  it('adds up the points of the signals as documented', () => {
    const totals = { ...nothing, settledConversions: 8, refundedSales: 2, merchantCount: 2 };
    const { score } = discoveryRank({ ...totals, lastSettledAt: NOW - 600 }, NOW);
    expect(score).toBe(4 * 400 + 3 * 400 + 2 * 800 + 1_000);
  });

  it('ranks a distributor from the third settled conversion on', () => {
    const slots = [0, 1, 2, 3, 4].map(
      (settledConversions) => discoveryRank({ ...nothing, settledConversions }, NOW).slot,
    );
    expect(slots).toEqual(['new', 'new', 'new', 'ranked', 'ranked']);
  });

  it('subtracts 100 points of recency for every 30 days', () => {
    const recency = [0, MONTH - 1, MONTH, 3 * MONTH, 20 * MONTH].map(
      (age) => pointsOf({ lastSettledAt: NOW - age })[3],
    );
    expect(recency).toEqual([1_000, 1_000, 900, 700, 0]);
  });

  it('discovery-v1 never raises a score after a refund or a reversal', () => {
    const count = fc.nat({ max: 5_000 });
    fc.assert(
      fc.property(count, count, count, count, (settled, refunded, reversed, merchants) => {
        const totals = {
          settledConversions: settled,
          refundedSales: refunded,
          reversedSales: reversed,
          merchantCount: merchants,
          lastSettledAt: NOW,
        };
        const { score } = discoveryRank(totals, NOW);
        const after = [
          discoveryRank({ ...totals, refundedSales: refunded + 1 }, NOW),
          discoveryRank({ ...totals, reversedSales: reversed + 1 }, NOW),
        ];
        return Number.isInteger(score) && after.every((worse) => worse.score <= score);
      }),
    );
  });
});
