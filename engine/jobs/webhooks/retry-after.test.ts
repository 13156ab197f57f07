import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from './retry-after.ts';

const now = Date.UTC(2026, 10, 23, 12, 0, 0, 400);

describe('retryAfterSeconds', () => {
  it.each<[string | string[] | undefined, number | null]>([
    ['0', 0],
    ['120', 120],
    [' 120 ', 120],
    [['7', '8'], 7],
    ['9999999999', 9_999_999_999],
    ['Mon, 23 Nov 2026 12:01:00 GMT', 60],
    ['Mon, 23 Nov 2026 11:59:00 GMT', 0],
    [undefined, null],
    [[], null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['12345678901', null],
    ['tomorrow', null],
    ['never GMT', null],
    ['2026-11-23T12:01:00Z', null],
  ])('reads %j as %j', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});
