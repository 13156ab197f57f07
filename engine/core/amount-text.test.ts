import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountText, percentText } from './amount-text.ts';

describe('an amount in a sentence', () => {
  it.each([
    [19_500_000n, 6, '19.50 TUSD'],
    [0n, 6, '0.00 TUSD'],
    [1n, 6, '0.000001 TUSD'],
    [1_000_000_000_000n, 6, '1000000.00 TUSD'],
    [5n, 0, '5 TUSD'],
    [15n, 1, '1.5 TUSD'],
    [18_912_599_999_999_999_999n, 18, '18.912599999999999999 TUSD'],
  ])('writes %s base units of a token with %s decimals', (amount, decimals, text) => {
    expect(amountText(amount, { symbol: 'TUSD', decimals })).toBe(text);
  });

  it('loses no digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 256n - 1n),
        fc.integer({ min: 0, max: 36 }),
        (amount, decimals) => {
          const [whole = '', fraction = ''] =
            amountText(amount, { symbol: 'T', decimals }).split(' ')[0]?.split('.') ?? [];
          expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount);
        },
      ),
    );
  });
});

describe('basis points in a sentence', () => {
  it.each([
    [1_250, '12.5 %'],
    [10_000, '100 %'],
    [7, '0.07 %'],
    [1_001, '10.01 %'],
  ])('writes %s as %s', (bps, text) => expect(percentText(bps)).toBe(text));
});
