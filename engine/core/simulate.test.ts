import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulateSplit } from './simulate.ts';
import { type SplitPolicy, splitReward } from './split.ts';

const policy: SplitPolicy = {
  commissionBps: 1_000,
  perSaleCap: 70n,
  campaignLiabilityCap: 1_000n,
  maxRewardedAncestors: 3,
  weightsBps: [5_000, 3_000, 2_000],
  shortPathMode: 'RENORMALIZE_EXISTING',
};
const input = {
  policy,
  amount: 1_001n,
  liability: 950n,
  available: 33n,
  pathLengths: [0, 1, 2, 5],
};

function situation(name: string, changes: Partial<typeof input> = {}) {
  const { situations } = simulateSplit({ ...input, ...changes });
  const found = situations.find((one) => one.situation === name);
  if (found === undefined) throw new Error(`no situation ${name}`);
  return found;
}

describe('simulateSplit', () => {
  it('shows each cap alone, all of them in their order, and none', () => {
    const pools = (name: string) => situation(name).rows.map(({ pool }) => pool);
    expect(pools('NO_CAP')).toEqual([0n, 100n, 100n, 100n]);
    expect(pools('SALE_CAP')).toEqual([0n, 70n, 70n, 70n]);
    expect(pools('LIABILITY_CAP')).toEqual([0n, 50n, 50n, 50n]);
    expect(pools('BUDGET')).toEqual([0n, 33n, 33n, 33n]);
    expect(situation('AS_GIVEN').caps).toEqual([
      { reason: 'SALE_CAP', cap: 70n, before: 100n, after: 70n },
      { reason: 'LIABILITY_CAP', cap: 50n, before: 70n, after: 50n },
      { reason: 'BUDGET', cap: 33n, before: 50n, after: 33n },
    ]);
    expect(situation('NO_CAP').caps).toEqual([]);
  });

  it('shows the rest of the rounding, and that level 1 gets it', () => {
    const row = situation('BUDGET').rows[2];
    // 33 × 5000 / 8000 = 20.625 and 33 × 3000 / 8000 = 12.375
    expect(row).toMatchObject({ weightWhole: 8_000n, rounding: 1n, roundingTo: 'LEVEL_1' });
    expect(
      row?.levels.map(({ floor, remainder, rounding, amount }) => [
        floor,
        remainder,
        rounding,
        amount,
      ]),
    ).toEqual([
      [20n, 5_000n, 1n, 21n],
      [12n, 3_000n, 0n, 12n],
    ]);
  });

  it('shows that the vault keeps rounding and unused weights in the other mode', () => {
    const changed = { policy: { ...policy, shortPathMode: 'RETURN_UNUSED' as const } };
    const row = situation('BUDGET', changed).rows[2];
    // 33 × 5000 / 10000 = 16.5 and 33 × 3000 / 10000 = 9.9
    expect(row).toMatchObject({ reserved: 25n, returned: 8n, rounding: 1n, roundingTo: 'VAULT' });
  });

  it('counts the nodes beyond the rewarded levels', () => {
    expect(
      situation('NO_CAP').rows.map(({ rewardedLevels, unrewardedNodes }) => [
        rewardedLevels,
        unrewardedNodes,
      ]),
    ).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 2],
    ]);
  });

  it('splits like splitReward, with parts that add up', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(
        amounts,
        amounts,
        amounts,
        fc.boolean(),
        (amount, liability, available, unused) => {
          const mode = unused ? 'RETURN_UNUSED' : 'RENORMALIZE_EXISTING';
          const tried = {
            ...policy,
            campaignLiabilityCap: 10n ** 29n,
            perSaleCap: 10n ** 28n,
            shortPathMode: mode,
          } as const;
          const given = { policy: tried, amount, liability, available, pathLengths: [1, 2, 3] };
          for (const row of simulateSplit(given).situations[0]?.rows ?? []) {
            const path = Array.from({ length: row.pathLength }, (_, i) => String(i));
            const split = splitReward({ ...given, path });
            expect(row.levels.map((level) => level.amount)).toEqual(
              split.shares.map((s) => s.amount),
            );
            expect(row.reserved + row.returned).toBe(row.pool);
            const floors = row.levels.reduce((sum, { floor }) => sum + floor, 0n);
            expect(row.reserved - floors).toBe(unused ? 0n : row.rounding);
          }
        },
      ),
    );
  });
});
