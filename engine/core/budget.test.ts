import { describe, expect, it } from 'vitest';
import { coveredSales } from './budget.ts';
import { emptyLedger } from './campaign.ts';
import { splitReward } from './split.ts';

const NO_CAP = 2n ** 256n - 1n;
const policy = {
  commissionBps: 1_000,
  perSaleCap: NO_CAP,
  campaignLiabilityCap: NO_CAP,
  maxRewardedAncestors: 1,
  weightsBps: [10_000],
  shortPathMode: 'RENORMALIZE_EXISTING',
} as const;

describe('coveredSales', () => {
  it.each([
    ['the vault', policy, { available: 1_099n }, 10n],
    ['an empty vault', policy, {}, 0n],
    ['a vault below zero', policy, { available: -1n }, 0n],
    ['the cap of a sale', { ...policy, perSaleCap: 40n }, { available: 1_000n }, 25n],
    [
      'the liability cap',
      { ...policy, campaignLiabilityCap: 700n },
      { available: 1_000n, pendingReserved: 100n, vestedUnclaimed: 50n, rewardsClaimed: 49n },
      5n,
    ],
    [
      'a liability above its cap',
      { ...policy, campaignLiabilityCap: 7n },
      { available: 1_000n, rewardsClaimed: 49n },
      0n,
    ],
  ])('counts the sales that %s covers', (_name, terms, ledger, expected) => {
    expect(coveredSales(1_000n, terms, { ...emptyLedger, ...ledger })).toBe(expected);
  });

  it('returns null if the reward of a sale rounds to nothing', () => {
    expect(coveredSales(9n, policy, emptyLedger)).toBeNull();
  });

  it('counts as many sales as the split rewards in full', () => {
    const capped = { ...policy, perSaleCap: 70n, campaignLiabilityCap: 1_000n };
    let [available, liability, rewarded] = [600n, 250n, 0n];
    const covered = coveredSales(1_000n, capped, {
      ...emptyLedger,
      available,
      pendingReserved: liability,
    });
    for (;;) {
      const input = { amount: 1_000n, available, liability, path: ['1'], policy: capped };
      const { reserved } = splitReward(input);
      if (reserved < 70n) break;
      available -= reserved;
      liability += reserved;
      rewarded += 1n;
    }
    expect(covered).toBe(rewarded);
  });
});
