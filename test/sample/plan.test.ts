import { describe, expect, it } from 'vitest';
import { planSample } from '../../sample/plan.ts';
import { START } from './fixture.ts';

describe('planSample', () => {
  it('returns the same plan for the same seed and start', () => {
    const options = { seed: 7, startTimestamp: START };
    expect(planSample(options)).toEqual(planSample(options));
  });

  it('returns different plans for different seeds', () => {
    const [one, other] = [1, 2].map((seed) => planSample({ seed, startTimestamp: START }));
    expect(one?.actors.contractAddress).not.toBe(other?.actors.contractAddress);
    expect(one?.blocks).not.toEqual(other?.blocks);
  });

  it('plans as many joins, sales and reversals for every seed', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { blocks } = planSample({ seed, startTimestamp: START });
      const calls = blocks.flatMap(({ transactions }) =>
        transactions.map(({ content }) => content),
      );
      const count = (...names: string[]) =>
        calls.filter((call) => 'functionName' in call && names.includes(call.functionName)).length;
      expect(count('join')).toBe(219);
      expect(count('buy', 'recordAttestedSale')).toBe(578);
      expect(count('reverse')).toBe(3);
      expect(count('refund')).toBeGreaterThan(50);
      // A block has room for 30,000,000 gas.
      expect(Math.max(...blocks.map(({ transactions }) => transactions.length))).toBeLessThan(100);
    }
  });
});
