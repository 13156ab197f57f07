import { expect, it } from 'vitest';
import { conversionRate } from './rate.ts';

it('divides sales by visits', () => {
  expect(conversionRate(8, 1)).toBe('12.5\u00a0%');
  expect(conversionRate(3, 6)).toBe('200\u00a0%');
});

it('shows a dash without visits', () => {
  expect(conversionRate(0, 2)).toBe('–');
});
