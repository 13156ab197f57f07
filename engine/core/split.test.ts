import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { missedShares, type SplitInput, shareAfterRefund, splitReward } from './split.ts';

interface Vector {
  amount: string;
  liability: string;
  available: string;
  path: string[];
  policy: Omit<SplitInput['policy'], 'perSaleCap' | 'campaignLiabilityCap'> & {
    perSaleCap: string;
    campaignLiabilityCap: string;
  };
  expected: {
    gross: string;
    pool: string;
    reserved: string;
    returned: string;
    shares: { level: number; nodeId: string; amount: string }[];
  };
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../../test/vectors/split.json', import.meta.url), 'utf8'),
);

const amountArb = fc.oneof(
  fc.bigInt({ min: 0n, max: 10_000n }),
  fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
);

/** Weights that sum to 10,000 basis points, each at least 1. */
const weightsArb = fc.integer({ min: 1, max: 5 }).chain((n) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 9_999 }), { minLength: n - 1, maxLength: n - 1 })
    .map((cuts) => {
      const edges = [0, ...cuts.sort((a, b) => a - b), 10_000];
      return edges.slice(1).map((edge, i) => edge - (edges[i] ?? 0));
    }),
);

const inputArb: fc.Arbitrary<SplitInput> = weightsArb.chain((weightsBps) =>
  fc.record({
    amount: amountArb,
    liability: amountArb,
    available: amountArb,
    path: fc.array(fc.nat().map(String), { maxLength: 8 }),
    policy: fc.record({
      commissionBps: fc.integer({ min: 1, max: 10_000 }),
      perSaleCap: amountArb,
      campaignLiabilityCap: amountArb,
      maxRewardedAncestors: fc.constant(weightsBps.length),
      weightsBps: fc.constant(weightsBps),
      shortPathMode: fc.constantFrom('RENORMALIZE_EXISTING' as const, 'RETURN_UNUSED' as const),
    }),
  }),
);

describe('splitReward', () => {
  it(`equals the independent program in all ${vectors.length} vectors`, () => {
    expect(vectors.length).toBe(300);
    for (const vector of vectors) {
      const split = splitReward({
        amount: BigInt(vector.amount),
        liability: BigInt(vector.liability),
        available: BigInt(vector.available),
        path: vector.path,
        policy: {
          ...vector.policy,
          perSaleCap: BigInt(vector.policy.perSaleCap),
          campaignLiabilityCap: BigInt(vector.policy.campaignLiabilityCap),
        },
      });
      expect(JSON.parse(JSON.stringify(split, bigintsAsStrings))).toEqual(vector.expected);
    }
  });

  it('conserves the pool to the unit and never exceeds a cap', () => {
    fc.assert(
      fc.property(inputArb, (input) => {
        const split = splitReward(input);
        const paid = split.shares.reduce((total, share) => total + share.amount, 0n);
        expect(paid).toBe(split.reserved);
        expect(split.reserved + split.returned).toBe(split.pool);
        expect(split.pool <= split.gross).toBe(true);
        expect(split.pool <= input.policy.perSaleCap).toBe(true);
        expect(split.pool <= input.available).toBe(true);
        expect(split.shares.every((share) => share.amount >= 0n)).toBe(true);
        if (input.policy.shortPathMode === 'RENORMALIZE_EXISTING') expect(split.returned).toBe(0n);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('missedShares', () => {
  it('explains the whole difference between the uncapped and the capped weight of each level', () => {
    fc.assert(
      fc.property(inputArb, (input) => {
        const { gross, pool } = splitReward(input);
        const levels = Math.min(input.path.length, input.policy.maxRewardedAncestors);
        const weights = input.policy.weightsBps.slice(0, levels).map(BigInt);
        const whole =
          input.policy.shortPathMode === 'RETURN_UNUSED'
            ? 10_000n
            : weights.reduce((total, weight) => total + weight, 0n);
        const missed = missedShares(input);
        weights.forEach((weight, i) => {
          const lost = missed
            .filter((row) => row.level === i + 1)
            .reduce((total, row) => total + row.amount, 0n);
          expect(lost).toBe((gross * weight) / whole - (pool * weight) / whole);
        });
        expect(missed.every((row) => row.amount > 0n)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('names the caps in the order in which they apply', () => {
    const missed = missedShares({
      amount: 1_000n,
      liability: 30n,
      available: 20n,
      path: ['1'],
      policy: {
        commissionBps: 1_000,
        perSaleCap: 80n,
        campaignLiabilityCap: 90n,
        maxRewardedAncestors: 1,
        weightsBps: [10_000],
        shortPathMode: 'RENORMALIZE_EXISTING',
      },
    });
    expect(missed).toEqual([
      { level: 1, nodeId: '1', reason: 'SALE_CAP', amount: 20n },
      { level: 1, nodeId: '1', reason: 'LIABILITY_CAP', amount: 20n },
      { level: 1, nodeId: '1', reason: 'BUDGET', amount: 40n },
    ]);
  });
});

describe('shareAfterRefund', () => {
  it('leaves the whole share of a sale without refund, and nothing of a fully refunded one', () => {
    expect(shareAfterRefund(33n, 100n, 0n)).toBe(33n);
    expect(shareAfterRefund(33n, 100n, 50n)).toBe(16n);
    expect(shareAfterRefund(33n, 100n, 100n)).toBe(0n);
  });
});

function bigintsAsStrings(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
