import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { radialLayout } from './layout.ts';

/** Any forest: each node hangs on one before it, or on none. */
const forests = fc
  .array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 100 })
  .map((picks) => Int32Array.from(picks, (pick, index) => Math.floor(pick * (index + 1)) - 1));

const distanceOf = (points: Float32Array, index: number) =>
  Math.hypot(points[2 * index] ?? Number.NaN, points[2 * index + 1] ?? Number.NaN);

describe('the radial layout', () => {
  it('gives every node its own position, and each level a ring outside its parent’s', () => {
    fc.assert(
      fc.property(forests, (parents) => {
        const points = radialLayout(parents);
        const places = new Set(
          [...parents.keys()].map((i) => `${points[2 * i]}/${points[2 * i + 1]}`),
        );
        expect(places.size).toBe(parents.length);
        for (const [index, parent] of parents.entries()) {
          const inner = parent < 0 ? 0 : distanceOf(points, parent);
          expect(distanceOf(points, index)).toBeGreaterThan(inner + 0.99);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('puts nodes of a level on one ring', () => {
    const points = radialLayout(Int32Array.of(-1, -1, 0, 0, 1));
    expect(distanceOf(points, 0)).toBeCloseTo(distanceOf(points, 1), 4);
    expect(distanceOf(points, 2)).toBeCloseTo(distanceOf(points, 4), 4);
  });

  it('draws a chain of 10,000 referrals, and a ring of 10,000', () => {
    const chain = radialLayout(Int32Array.from({ length: 10_000 }, (_, index) => index - 1));
    expect(distanceOf(chain, 9_999)).toBeCloseTo(10_000, 0);
    const ring = radialLayout(new Int32Array(10_000).fill(-1));
    expect(distanceOf(ring, 5)).toBeGreaterThan(500);
  });
});
