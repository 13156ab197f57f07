import { describe, expect, it } from 'vitest';
import { wholeTokens } from './amounts.ts';

describe('wholeTokens', () => {
  it.each([
    ['16770000', 6, '16.77'],
    ['129000000', 6, '129'],
    ['1', 18, '0.000000000000000001'],
    ['-2500', 3, '-2.5'],
    ['0', 6, '0'],
    ['42', 0, '42'],
    [10n ** 36n + 1n, 36, '1.000000000000000000000000000000000001'],
  ])('writes %s base units with %i decimals as %s', (baseUnits, decimals, tokens) => {
    expect(wholeTokens(baseUnits, decimals)).toBe(tokens);
  });
});
