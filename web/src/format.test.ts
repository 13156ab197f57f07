import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentages, relativeTime, shownAmount } from './format.ts';

describe('an amount on a page', () => {
  it.each([
    [64_000_000n, 6, '64', '.000000'],
    [41_990_000n, 6, '41.99', '0000'],
    [1n, 6, '0.000001', ''],
    [18_912_599_999_999_999_999n, 18, '18.912599…', ''],
    [-1_500_000n, 6, '-1.5', '00000'],
    [7n, 0, '7', ''],
  ])('writes %s with %s decimals as %s', (value, decimals, text, padding) => {
    expect(shownAmount(value, decimals)).toEqual({ text, padding });
  });
});

describe('percentages', () => {
  const inBps = (text: string) => {
    const [whole = '', rest = ''] = text.replace('\u00a0%', '').split('.');
    return BigInt(whole) * 100n + BigInt(rest.padEnd(2, '0'));
  };

  it('add up to exactly 100 % for any parts', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), { minLength: 1 }), (parts) => {
        const sum = percentages(parts).reduce((so, text) => so + inBps(text), 0n);
        expect(sum).toBe(parts.some((part) => part > 0n) ? 10_000n : 0n);
      }),
    );
  });

  it('gives the missing hundredths to the largest remainders', () => {
    expect(percentages([1n, 1n, 1n])).toEqual(['33.34\u00a0%', '33.33\u00a0%', '33.33\u00a0%']);
    expect(percentages([9n, 5n])).toEqual(['64.29\u00a0%', '35.71\u00a0%']);
  });
});

describe('a time near now', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');

  it.each([
    ['2026-01-31T11:59:40Z', 'just now'],
    ['2026-01-31T11:57:00Z', '3 minutes ago'],
    ['2026-01-31T14:00:00Z', 'in 2 hours'],
    ['2026-01-29T12:00:00Z', '2 days ago'],
    ['2026-01-24T12:00:00Z', undefined],
    ['never', undefined],
  ])('writes %s as %s', (at, text) => {
    expect(relativeTime(at, now)).toBe(text);
  });
});
