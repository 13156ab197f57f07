import { describe, expect, it } from 'vitest';
import { readAmount } from './base-units.ts';

const limits = { decimals: 6, max: 2_000_000n };

describe('readAmount', () => {
  it('returns base units without rounding', () => {
    expect(readAmount('1.5', limits)).toEqual({ value: 1_500_000n });
    expect(readAmount(' 2 ', limits)).toEqual({ value: 2_000_000n });
    expect(readAmount('0.000001', limits)).toEqual({ value: 1n });
    expect(readAmount('1.50000000', limits)).toEqual({ value: 1_500_000n });
    const large = { decimals: 18, max: 10n ** 30n };
    expect(readAmount('9007199254.740993000000000001', large)).toEqual({
      value: 9_007_199_254_740_993_000_000_000_001n,
    });
  });

  it('refuses, with a reason, what is no number, zero, too exact or too large', () => {
    for (const text of ['', 'x', '-1', '1,5', '1.', '1e3', '0x10']) {
      expect(readAmount(text, limits).issue, text).toContain('Write a number');
    }
    expect(readAmount('0.00', limits).issue).toContain('above 0');
    expect(readAmount('0.0000001', limits).issue).toContain('6 decimal places');
    expect(readAmount('2.000001', limits).issue).toContain('more than');
  });
});
