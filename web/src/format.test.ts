import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactAmount, percentages, relativeTime, shortAmount } from './format.ts';

describe('an amount on a page', () => {
  it.each([
    [64_000_000n, 6, '64.00', '64.00'],
    [41_990_000n, 6, '41.99', '41.99'],
    [2_812_500n, 6, '2.81', '2.8125'],
    [1n, 6, '0.000001', '0.000001'],
    [1_234n, 6, '0.0012', '0.001234'],
    [1_001n, 6, '0.001', '0.001001'],
    [12_345n, 6, '0.01', '0.012345'],
    [0n, 6, '0.00', '0.00'],
    [18_912_599_999_999_999_999n, 18, '18.91', '18.912599999999999999'],
    [1_234_567_800_000n, 6, '1\u202f234\u202f567.80', '1\u202f234\u202f567.80'],
    [-1_500_000n, 6, '-1.50', '-1.50'],
    [-1_234n, 6, '-0.0012', '-0.001234'],
    [7n, 0, '7', '7'],
    [75n, 1, '7.5', '7.5'],
  ])('writes %s with %s decimals as %s, and in full as %s', (value, decimals, short, exact) => {
    expect(shortAmount(value, decimals)).toBe(short);
    expect(exactAmount(value, decimals)).toBe(exact);
  });

  it('writes never more than there is, and cuts off less than the last digit shown', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 18 }), (value, decimals) => {
        const text = shortAmount(value, decimals).replaceAll('\u202f', '');
        const [whole = '', fraction = ''] = text.split('.');
        const step = 10n ** BigInt(decimals - fraction.length);
        const shown = BigInt(whole + fraction) * step;
        expect(shown <= value).toBe(true);
        expect(value - shown < step).toBe(true);
        expect(shown > 0n).toBe(value > 0n);
      }),
    );
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
