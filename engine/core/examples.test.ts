import { describe, expect, it } from 'vitest';
import { missedShares, type SplitInput, shareAfterRefund, splitReward } from './split.ts';

/** The worked examples of `docs/how-it-works/settlement.md`: what the page says is what the code does. */
const NO_CAP = (1n << 256n) - 1n;
const sale: SplitInput = {
  amount: 100_000_010n,
  liability: 0n,
  available: 1_000_000_000n,
  path: ['9', '4', '1'],
  policy: {
    commissionBps: 1_000,
    perSaleCap: NO_CAP,
    campaignLiabilityCap: NO_CAP,
    maxRewardedAncestors: 5,
    weightsBps: [4_000, 2_500, 1_500, 1_200, 800],
    shortPathMode: 'RENORMALIZE_EXISTING',
  },
};

function amounts(input: SplitInput): bigint[] {
  return splitReward(input).shares.map((share) => share.amount);
}

describe('the worked examples of docs/how-it-works/settlement.md', () => {
  it('gives the rest of the rounding to level 1 on a short path that is renormalized', () => {
    expect(splitReward(sale)).toMatchObject({ gross: 10_000_001n, pool: 10_000_001n });
    expect(amounts(sale)).toEqual([5_000_001n, 3_125_000n, 1_875_000n]);
  });

  it('leaves the weights of missing levels in the vault if unused weights are returned', () => {
    const input = { ...sale, policy: { ...sale.policy, shortPathMode: 'RETURN_UNUSED' as const } };
    expect(amounts(input)).toEqual([4_000_000n, 2_500_000n, 1_500_000n]);
    expect(splitReward(input)).toMatchObject({ reserved: 8_000_000n, returned: 2_000_001n });
  });

  it('applies three caps in order, and names the cost of each', () => {
    const input = {
      ...sale,
      liability: 93_000_000n,
      available: 5_000_000n,
      policy: { ...sale.policy, perSaleCap: 8_000_000n, campaignLiabilityCap: 100_000_000n },
    };
    expect(amounts(input)).toEqual([2_500_000n, 1_562_500n, 937_500n]);
    expect(missedShares(input).map(({ level, reason, amount }) => [level, reason, amount])).toEqual(
      [
        [1, 'SALE_CAP', 1_000_000n],
        [2, 'SALE_CAP', 625_000n],
        [3, 'SALE_CAP', 375_000n],
        [1, 'LIABILITY_CAP', 500_000n],
        [2, 'LIABILITY_CAP', 312_500n],
        [3, 'LIABILITY_CAP', 187_500n],
        [1, 'BUDGET', 1_000_000n],
        [2, 'BUDGET', 625_000n],
        [3, 'BUDGET', 375_000n],
      ],
    );
  });

  it('leaves each level its part, rounded down, after a partial refund of 30.000003', () => {
    const left = amounts(sale).map((share) => shareAfterRefund(share, sale.amount, 30_000_003n));
    expect(left).toEqual([3_500_000n, 2_187_500n, 1_312_500n]);
  });
});
