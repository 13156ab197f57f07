import pRetry from 'p-retry';
import { ApiError } from './error.ts';

/** How often and how long a client repeats a read that may succeed a moment later. */
export interface RetryOptions {
  /** Attempts after the first; 0 never repeats. Default 2. */
  readonly retries?: number;
  /** A service that asks for a longer pause than this gets no further attempt. Default 10. */
  readonly maxWaitSeconds?: number;
}

const DEFAULTS = { retries: 2, maxWaitSeconds: 10 } as const;

/** Milliseconds before the second attempt; twice that before the third, and up to twice as long at random. */
const FIRST_PAUSE_MS = 250;

/** Statuses of answers that a retry may change; 0 is no answer at all. */
const PASSING: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);

/**
 * Repeats a call that got no answer, 429 or 503 (from a proxy also 502 or 504), after the pause that
 * `Retry-After` names. Only for reads: a write without an answer may have taken effect.
 * @throws {ApiError} the error of the last attempt.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  options: RetryOptions = {},
  signal?: AbortSignal,
): Promise<T> {
  const { retries, maxWaitSeconds } = { ...DEFAULTS, ...options };
  const mayPass = (error: unknown) =>
    error instanceof ApiError &&
    signal?.aborted !== true &&
    PASSING.has(error.status) &&
    (error.retryAfter ?? 0) <= maxWaitSeconds;
  let failure: unknown;
  const noted = async () => {
    try {
      return await attempt();
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    return await pRetry(noted, {
      retries,
      minTimeout: FIRST_PAUSE_MS,
      randomize: true,
      shouldRetry: ({ error }) => mayPass(error),
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (retriesLeft === 0 || !mayPass(error)) return;
        const seconds = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
        await pause(seconds * 1_000, signal);
      },
      ...(signal && { signal }),
    });
  } catch (cause) {
    // After an abort, p-retry throws its reason, which says less than the failure.
    if (failure instanceof ApiError) throw failure;
    throw new ApiError('The call was cancelled.', { code: 'NETWORK', status: 0, cause });
  }
}

/** Waits, or until the signal aborts. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms === 0 || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
