import { expect, it } from 'vitest';
import { lastDays, rangeOf } from './range.ts';

it('includes the last day of a range', () => {
  expect(rangeOf('2026-02-01', '2026-02-28')).toEqual({
    from: '2026-02-01T00:00:00.000Z',
    to: '2026-03-01T00:00:00.000Z',
  });
});

it('returns no range without two dates', () => {
  expect(rangeOf('', '2026-02-28')).toBeUndefined();
  expect(rangeOf('2026-02-28', 'x')).toBeUndefined();
});

it('counts the last days up to the end of today', () => {
  expect(lastDays(7, Date.parse('2026-03-01T12:00:00Z'))).toEqual({
    from: '2026-02-23T00:00:00.000Z',
    to: '2026-03-02T00:00:00.000Z',
  });
});
