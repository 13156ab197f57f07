import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, nextAttemptMs } from './schedule.ts';

const middle = { retryAfterSeconds: null, random: () => 0.5 };
const attempts = Array.from({ length: MAX_ATTEMPTS }, (_, made) => made);
const anyAttempt = fc.integer({ min: 0, max: MAX_ATTEMPTS - 1 });
const anyRandom = fc.double({ min: 0, max: 1, noNaN: true });
const anyWait = fc.option(fc.integer({ min: 0, max: 10 ** 10 }));
const DAY_MS = 86_400_000;

describe('the schedule of attempts', () => {
  it('follows Standard Webhooks: 10 attempts in 75 h 35 min 5 s', () => {
    const seconds = attempts.map((made) => (nextAttemptMs(made, middle) ?? 0) / 1_000);
    expect(seconds).toEqual([0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    const total = seconds.reduce((sum, delay) => sum + delay, 0);
    expect(total).toBe(75 * 3_600 + 35 * 60 + 5);
  });

  it('ends after the last attempt, even if the receiver asks for another one', () => {
    expect(nextAttemptMs(MAX_ATTEMPTS, middle)).toBeNull();
    expect(nextAttemptMs(MAX_ATTEMPTS + 5, { ...middle, retryAfterSeconds: 10 })).toBeNull();
  });

  it('varies each delay by at most a tenth', () => {
    fc.assert(
      fc.property(anyAttempt, anyRandom, (made, random) => {
        const delay = nextAttemptMs(made, middle) ?? 0;
        const varied = nextAttemptMs(made, { retryAfterSeconds: null, random: () => random }) ?? 0;
        expect(varied).toBeGreaterThanOrEqual(delay * 0.9);
        expect(varied).toBeLessThanOrEqual(delay * 1.1);
        expect(Number.isInteger(varied)).toBe(true);
      }),
    );
    expect(nextAttemptMs(1, { ...middle, random: () => 0 })).toBe(4_500);
    expect(nextAttemptMs(1, { ...middle, random: () => 1 })).toBe(5_500);
  });

  it('waits as long as the receiver asked for, up to a day, and never less than without that', () => {
    fc.assert(
      fc.property(anyAttempt, anyRandom, anyWait, (made, value, retryAfterSeconds) => {
        const random = () => value;
        const without = nextAttemptMs(made, { retryAfterSeconds: null, random }) ?? 0;
        const delay = nextAttemptMs(made, { retryAfterSeconds, random }) ?? 0;
        const wait = Math.min((retryAfterSeconds ?? 0) * 1_000, DAY_MS);
        expect(delay).toBe(Math.max(without, wait));
      }),
    );
  });
});
