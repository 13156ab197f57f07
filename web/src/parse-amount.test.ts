import { describe, expect, it } from 'vitest';
import { humanAmount } from './format.ts';
import { parseAmount } from './parse-amount.ts';

describe('an amount that a person typed', () => {
  it('becomes base units without rounding', () => {
    expect(parseAmount('12.5', 6)).toBe(12_500_000n);
    expect(parseAmount('.000001', 6)).toBe(1n);
    expect(parseAmount('7', 0)).toBe(7n);
    expect(parseAmount('123456789012345678901234567890.123456789012345678', 18)).toBe(
      123456789012345678901234567890123456789012345678n,
    );
  });

  it('accepts digits in groups, as the pages group them', () => {
    expect(parseAmount('1,234,567.5', 6)).toBe(1_234_567_500_000n);
    expect(parseAmount(humanAmount(98_765_432_100n, 6), 6)).toBe(98_765_432_100n);
  });

  it('returns nothing for a text that is no number, or finer than a base unit', () => {
    for (const text of ['', '.', '-1', '1e6', '1.2.3', '0x10', '12,5', 'five']) {
      expect(parseAmount(text, 6), text).toBeUndefined();
    }
    expect(parseAmount('0.0000001', 6)).toBeUndefined();
    expect(parseAmount('1.5', 0)).toBeUndefined();
  });
});
