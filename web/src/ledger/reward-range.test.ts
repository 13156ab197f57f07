import { describe, expect, it } from 'vitest';
import { rewardRange } from './reward-range.ts';

const terms = {
  commissionBps: 1_500,
  perSaleCap: '1000000000',
  maxRewardedAncestors: 4,
  weightsBps: [4_500, 2_500, 1_800, 1_200],
  shortPathMode: 'RENORMALIZE_EXISTING',
} as const;

describe('rewardRange', () => {
  it('ranges from the weight of the link with all levels to the whole reward without links above', () => {
    expect(rewardRange('18750000', terms)).toEqual({ least: 1_265_625n, most: 2_812_500n });
  });

  it('returns one reward if the shares of missing levels are returned', () => {
    const returning = { ...terms, shortPathMode: 'RETURN_UNUSED' } as const;
    expect(rewardRange('18750000', returning)).toEqual({ least: 1_265_625n, most: 1_265_625n });
  });

  it('respects the largest reward of a sale', () => {
    const capped = { ...terms, perSaleCap: '1000000' };
    expect(rewardRange('18750000', capped)).toEqual({ least: 450_000n, most: 1_000_000n });
  });
});
