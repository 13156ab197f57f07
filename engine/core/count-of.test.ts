import { expect, test } from 'vitest';
import { countOf } from './count-of.ts';

test('puts a noun, and its verb, in the singular for 1 alone', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'sale'))).toEqual([
    '0 sales',
    '1 sale',
    '2 sales',
  ]);
  expect(countOf(1n, 'process', 'processes')).toBe('1 process');
  expect(countOf(2n ** 64n, 'sale is', 'sales are')).toBe('18446744073709551616 sales are');
});
