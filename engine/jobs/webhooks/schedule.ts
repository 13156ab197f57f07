const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays before each attempt, as Standard Webhooks recommends: 10 attempts in 75 h 35 min 5 s. */
const delays: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Number of attempts of a delivery. */
export const MAX_ATTEMPTS = delays.length;

/** Largest part of a delay that is added or subtracted, so that failed deliveries spread. */
const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * Milliseconds until the next attempt of a delivery; `null` after the last one.
 * @param attempt number of attempts made so far.
 * @param options.retryAfterSeconds wait that the receiver asked for, which counts up to 24 hours.
 * @param options.random a number from 0 to 1, as from `Math.random`.
 */
export function nextAttemptMs(
  attempt: number,
  options: { readonly retryAfterSeconds: number | null; readonly random: () => number },
): number | null {
  const delay = delays[attempt];
  if (delay === undefined) return null;
  const jittered = Math.round(delay * (1 + JITTER * (2 * options.random() - 1)));
  const retryAfterMs = (options.retryAfterSeconds ?? 0) * SECOND;
  return Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
