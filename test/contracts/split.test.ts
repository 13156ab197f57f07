import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { ContractFunctionArgs } from 'viem';
import { describe, expect, it } from 'vitest';
import { splitHarnessAbi, splitHarnessBytecode } from '../../abis/test/splitHarness.ts';
import { missedShares, type SplitInput, splitReward } from '../../engine/core/split.ts';
import { maxAmount, policyFor } from './scenes.ts';
import { deploy, maxUint256, shortPathModes, useWorld, type World } from './support.ts';

const world = useWorld();

/** Longer than any policy rewards. */
const pathLengthMax = 12;
/** How many cases one `eth_call` carries. */
const batchSize = 100;
const runs = 3_000;

type Case = ContractFunctionArgs<typeof splitHarnessAbi, 'nonpayable', 'quoteCases'>[0][number];
type Quote = {
  readonly pool: bigint;
  readonly shares: readonly bigint[];
  readonly again: readonly bigint[];
};

function atMost128(amount: bigint): bigint {
  return amount > maxAmount ? maxAmount : amount;
}

/** The contract holds at most 128 bits: a larger liability or vault has the same effect on a sale. */
function caseOf(w: World, { amount, liability, available, path, policy }: SplitInput): Case {
  const renormalize = policy.shortPathMode === 'RENORMALIZE_EXISTING';
  return {
    amount,
    liability: atMost128(liability),
    available: atMost128(available),
    pathLength: BigInt(path.length),
    policy: policyFor(w, {
      ...policy,
      shortPathMode: renormalize ? shortPathModes.renormalizeExisting : shortPathModes.returnUnused,
    }),
  };
}

/** Results of `quoteSale` for each of the cases. */
async function quotesOf(w: World, inputs: readonly SplitInput[]): Promise<Quote[]> {
  const address = await deploy(w.client, splitHarnessAbi, splitHarnessBytecode, [
    BigInt(pathLengthMax),
  ]);
  const quotes: Quote[] = [];
  for (let i = 0; i < inputs.length; i += batchSize) {
    const { result } = await w.client.simulateContract({
      abi: splitHarnessAbi,
      address,
      functionName: 'quoteCases',
      args: [inputs.slice(i, i + batchSize).map((input) => caseOf(w, input))],
      account: w.merchant,
      gas: 100_000_000n,
    });
    quotes.push(...result);
  }
  return quotes;
}

function expected(input: SplitInput): Quote {
  const { pool, shares } = splitReward(input);
  const amounts = shares.map(({ amount }) => amount);
  return { pool, shares: amounts, again: amounts };
}

function pathOf(length: number): string[] {
  return Array.from({ length }, (_, i) => String(length - i));
}

/** Small amounts, where rounding shows; large ones, where a product overflows; and the ends. */
const amounts = fc.oneof(
  fc.bigInt({ min: 0n, max: 20_000n }),
  fc.bigInt({ min: 0n, max: 10n ** 30n }),
  fc.bigInt({ min: 0n, max: maxAmount }),
  fc.constantFrom(0n, 1n, 9_999n, 10_000n, 10_001n, maxAmount - 1n, maxAmount),
);
const caps = amounts.map((amount) => (amount === 0n || amount === maxAmount ? maxUint256 : amount));

/** Weights of 1 to 5 levels, each at least 1, of 10,000 together. */
const weights = fc.integer({ min: 1, max: 5 }).chain((levels) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 9_999 }), {
      minLength: levels - 1,
      maxLength: levels - 1,
    })
    .map((cuts) => [0, ...cuts.sort((a, b) => a - b), 10_000])
    .map((edges) => edges.slice(1).map((edge, i) => edge - (edges[i] ?? 0))),
);

const inputs: fc.Arbitrary<SplitInput> = fc.record({
  amount: amounts,
  liability: amounts,
  available: amounts,
  path: fc.integer({ min: 0, max: pathLengthMax }).map(pathOf),
  policy: fc
    .record({
      commissionBps: fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.constantFrom(1, 10_000)),
      perSaleCap: caps,
      campaignLiabilityCap: caps,
      weightsBps: weights,
      shortPathMode: fc.constantFrom('RENORMALIZE_EXISTING', 'RETURN_UNUSED'),
    })
    .map((policy) => ({ ...policy, maxRewardedAncestors: policy.weightsBps.length })),
});

interface Vector {
  readonly amount: string;
  readonly liability: string;
  readonly available: string;
  readonly path: readonly string[];
  readonly policy: Omit<SplitInput['policy'], 'perSaleCap' | 'campaignLiabilityCap'> & {
    readonly perSaleCap: string;
    readonly campaignLiabilityCap: string;
  };
  readonly expected: { readonly pool: string; readonly shares: readonly { amount: string }[] };
}

function inputOf({ amount, liability, available, path, policy }: Vector): SplitInput {
  return {
    amount: BigInt(amount),
    liability: BigInt(liability),
    available: BigInt(available),
    path,
    policy: {
      ...policy,
      perSaleCap: BigInt(policy.perSaleCap),
      campaignLiabilityCap: BigInt(policy.campaignLiabilityCap),
    },
  };
}

describe('quoteSale', () => {
  it(`agrees with splitReward to the unit in ${runs} random cases`, async () => {
    const seed = 20_260_721;
    const cases = fc.sample(inputs, { numRuns: runs, seed });
    const quotes = await quotesOf(world(), cases);
    expect(quotes).toHaveLength(runs);
    cases.forEach((input, i) => {
      expect({ seed, i, quote: quotes[i] }).toEqual({ seed, i, quote: expected(input) });
    });
    // The cases are worth something: there is much to share, and every cap has bound.
    const shared = cases.map(expected).filter(({ shares }) => shares.length > 1 && shares[0]);
    expect(shared.length).toBeGreaterThan(runs / 5);
    const reasons = new Set(cases.flatMap(missedShares).map(({ reason }) => reason));
    expect([...reasons].sort()).toEqual(['BUDGET', 'LIABILITY_CAP', 'SALE_CAP']);
  });

  it('computes the vectors of the independent program', async () => {
    const file = new URL('../vectors/split.json', import.meta.url);
    const all: Vector[] = JSON.parse(readFileSync(file, 'utf8'));
    // The program also computes with a liability above 128 bits, which no campaign can have. It has
    // the same effect as the largest one, unless the cap is as large.
    const vectors = all.filter((vector) => {
      const { liability, policy } = inputOf(vector);
      return liability <= maxAmount || policy.campaignLiabilityCap < maxAmount;
    });
    expect([all.length, vectors.length]).toEqual([300, 258]);
    const quotes = await quotesOf(world(), vectors.map(inputOf));
    expect(quotes).toEqual(
      vectors.map(({ expected: { pool, shares } }) => {
        const amounts = shares.map(({ amount }) => BigInt(amount));
        return { pool: BigInt(pool), shares: amounts, again: amounts };
      }),
    );
  });
});
