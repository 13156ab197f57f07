import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from './time.ts';

/** The last second of the year 9999. */
const LAST = 253_402_300_799;

it('says the same time as Date does, in any order of days', () => {
  const second = fc.integer({ min: -LAST, max: 2 * LAST });
  fc.assert(
    fc.property(fc.array(second), (all) => {
      for (const seconds of all) {
        expect(isoTime(seconds)).toBe(new Date(seconds * 1_000).toISOString());
      }
    }),
  );
});

it.each([0, -1, 59, 86_399, 86_400, LAST, LAST + 1])('writes the time %s', (seconds) => {
  expect(isoTime(seconds)).toBe(new Date(seconds * 1_000).toISOString());
});

it('refuses a time that Date does not have', () => {
  expect(() => isoTime(1e13)).toThrow(RangeError);
});

it('still says the right date after more days than it remembers', () => {
  for (let day = 0; day <= 40_001; day += 1) {
    expect(isoTime(day * 86_400)).toBe(new Date(day * 86_400_000).toISOString());
  }
});
