import { describe, expect, it } from 'vitest';
import { planSample } from '../../engine/cli/sample/plan.ts';
import { START } from './played.ts';

describe('the plan of the sample', () => {
  it('is the same for the same seed and start', () => {
    const options = { seed: 7, startTimestamp: START };
    expect(planSample(options)).toEqual(planSample(options));
  });

  it('is another for another seed', () => {
    const [one, other] = [1, 2].map((seed) => planSample({ seed, startTimestamp: START }));
    expect(one?.cast.contractAddress).not.toBe(other?.cast.contractAddress);
    expect(one?.blocks).not.toEqual(other?.blocks);
  });

  it('keeps its measure whatever the seed', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { blocks } = planSample({ seed, startTimestamp: START });
      const calls = blocks.flatMap(({ steps }) => steps.map(({ call }) => call));
      const count = (...names: string[]) =>
        calls.filter((call) => 'functionName' in call && names.includes(call.functionName)).length;
      expect(count('join')).toBe(219);
      expect(count('buy', 'recordAttestedSale')).toBe(578);
      expect(count('reverse')).toBe(3);
      expect(count('refund')).toBeGreaterThan(50);
      // A block has room for 30,000,000 gas.
      expect(Math.max(...blocks.map(({ steps }) => steps.length))).toBeLessThan(100);
    }
  });
});
