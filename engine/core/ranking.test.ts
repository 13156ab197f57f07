import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RankInput, rankCampaign } from './ranking.ts';

const campaign: RankInput = {
  open: true,
  commissionBps: 1_000,
  available: 5_000n,
  price: 100n,
  settledSales: 12,
  holdSeconds: 604_800,
};

const anyCampaign = fc.record({
  commissionBps: fc.integer({ min: 0, max: 10_000 }),
  open: fc.boolean(),
  available: fc.bigInt({ min: -1n, max: 2n ** 256n - 1n }),
  price: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  settledSales: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  holdSeconds: fc.integer({ min: 0, max: 7_776_000 }),
});

describe('rankCampaign', () => {
  it('adds up the four parts of the score as documented', () => {
    // reward 333, budget 500 sales: 9 bits, record 12: 4 bits, hold 922 of 1000.
    expect(rankCampaign(campaign).score).toBe(4 * 333 + 3 * 900 + 2 * 400 + 922);
  });

  it('explains the score in sentences', () => {
    expect(rankCampaign({ ...campaign, commissionBps: 1_250, settledSales: 1 }).reasons).toEqual([
      'Pays 12.5 % of each sale as reward.',
      'The reward budget covers 416 more sales.',
      '1 sale has settled.',
      'Holds rewards for 7 days.',
    ]);
    expect(rankCampaign({ ...campaign, available: 0n, settledSales: 0 }).reasons).toEqual([
      'Pays 10 % of each sale as reward.',
      'The reward budget does not cover another sale.',
      'No sale has settled yet.',
      'Holds rewards for 7 days.',
    ]);
  });

  it('gives an empty budget no points for its rate', () => {
    const empty = { ...campaign, available: 0n };
    expect(rankScore(empty)).toBe(rankScore({ ...empty, commissionBps: 9_999 }));
    expect(rankScore(empty)).toBeLessThan(rankScore(campaign));
  });

  it('gives a campaign without sales the points of an empty budget', () => {
    const closed = rankCampaign({ ...campaign, open: false });
    expect(closed.score).toBe(rankScore({ ...campaign, available: 0n }));
    expect(closed.reasons[1]).toBe('It takes no sales at present.');
  });

  it('scores every campaign with an integer from 0 to 10000', () => {
    fc.assert(
      fc.property(anyCampaign, (input) => {
        const score = rankScore(input);
        expect(Number.isSafeInteger(score) && score >= 0 && score <= 10_000).toBe(true);
      }),
    );
  });

  it('rankCampaign never ranks a campaign lower for a bigger budget, a longer record or a shorter hold', () => {
    fc.assert(
      fc.property(anyCampaign, (input) => {
        const score = rankScore(input);
        expect(
          rankScore({ ...input, available: input.available * 2n + 2n }),
        ).toBeGreaterThanOrEqual(score);
        expect(rankScore({ ...input, holdSeconds: 60 })).toBeGreaterThanOrEqual(score);
        const settledSales = Number.MAX_SAFE_INTEGER;
        expect(rankScore({ ...input, settledSales })).toBeGreaterThanOrEqual(score);
      }),
    );
  });
});

function rankScore(input: RankInput): number {
  return rankCampaign(input).score;
}
