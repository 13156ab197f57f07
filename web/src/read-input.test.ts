import { describe, expect, it } from 'vitest';
import {
  amountText,
  durationText,
  percentText,
  readAmount,
  readCount,
  readList,
  readPercent,
  readPositive,
  readTime,
  timeText,
} from './read-input.ts';

describe('amounts that people type', () => {
  it('converts whole tokens to base units without rounding', () => {
    expect(readAmount('1.25', 6)).toEqual({ value: 1_250_000n });
  });

  it('refuses a text that is no amount, and says why', () => {
    expect(readAmount('', 6).issue).toBe('Enter an amount.');
    for (const text of ['1,5', '-1', '1e3', '0x10', '1.2.3', 'ten', '+1']) {
      expect(readAmount(text, 6).issue).toContain('Enter a number');
    }
    expect(readAmount('0.1234567', 6).issue).toBe('At most 6 digits after the point.');
    expect(readAmount('0.1', 0).issue).toBe('Must be a whole number.');
    expect(readAmount('1'.repeat(79), 0).issue).toContain('more than the contract');
    expect(readPositive('0.00', 6).issue).toBe('Must be above 0.');
  });

  it('reads back every text that it writes', () => {
    for (const value of [0n, 1n, 999_999n, 1_000_000n, 123_456_789_012_345_678_901n]) {
      for (const decimals of [0, 1, 6, 18]) {
        expect(readAmount(amountText(value, decimals), decimals)).toEqual({ value });
      }
    }
  });
});

describe('shares that people type', () => {
  it('converts per cent to basis points without rounding', () => {
    expect(readPercent('12.5')).toEqual({ value: 1_250 });
    expect(readPercent('33.33 %')).toEqual({ value: 3_333 });
    expect(readPercent('100')).toEqual({ value: 10_000 });
    for (const bps of [1, 29, 57, 113, 9_999]) {
      expect(readPercent(percentText(bps))).toEqual({ value: bps });
    }
  });

  it('refuses shares of 0, above 100 %, and finer than a basis point', () => {
    expect(readPercent('0').issue).toBe('Must be above 0.');
    expect(readPercent('100.01').issue).toBe('At most 100 %.');
    expect(readPercent('1.234').issue).toBe('At most 2 digits after the point.');
  });
});

describe('counts, times and lists that people type', () => {
  it('reads whole numbers up to 2^53 − 1', () => {
    expect(readCount('1 000')).toEqual({ value: 1_000 });
    expect(readCount('9007199254740992').issue).toBe('This number is too large.');
    expect(readCount('1.5').issue).toBe('Must be a whole number.');
  });

  it('reads back the times that it writes, to the second', () => {
    expect(readTime(timeText('2026-03-01T10:20:46.000Z'))).toEqual({
      value: '2026-03-01T10:20:46.000Z',
    });
    expect(readTime(timeText('2026-03-01T10:20:00.000Z'))).toEqual({
      value: '2026-03-01T10:20:00.000Z',
    });
    expect(readTime('').issue).toBe('Enter a date and a time.');
  });

  it('splits lists at lines and commas', () => {
    expect(readList(' US, CA\n\nEU,')).toEqual(['US', 'CA', 'EU']);
    expect(readList('Say "ad", always\nNo spam', /\n/)).toEqual(['Say "ad", always', 'No spam']);
  });

  it('shows seconds in the largest unit that divides them', () => {
    expect(durationText(172_800)).toEqual({ count: '2', unit: '86400' });
    expect(durationText(5_400)).toEqual({ count: '90', unit: '60' });
  });
});
