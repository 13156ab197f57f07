import { describe, expect, it } from 'vitest';
import { MAX_CHAIN_AMOUNT } from '../../engine/core/amounts.ts';
import { limitText, readLimit } from './attester-limits.ts';

const token = { symbol: 'TUSD', decimals: 6 };

describe('a limit of an attester', () => {
  it('reads an empty field as no limit, and refuses zero and what the contract cannot hold', () => {
    expect(readLimit('', 6)).toEqual({ value: MAX_CHAIN_AMOUNT });
    expect(readLimit('64.5', 6)).toEqual({ value: 64_500_000n });
    expect(readLimit('0', 6).issue).toBe('Must be above 0.');
    expect(readLimit(String(1n << 128n), 0).issue).toBe('This is more than the contract can hold.');
  });

  it('shows limits as amounts, or as no limit', () => {
    expect(limitText('64500000', token)).toBe('64.50\u00a0TUSD');
    expect(limitText(String(MAX_CHAIN_AMOUNT), token)).toBe('No limit');
  });
});
