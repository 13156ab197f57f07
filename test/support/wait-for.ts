import { setTimeout } from 'node:timers/promises';

/** What `waitFor` may be reported. */
export type WaitOptions = {
  /** What is waited for, as the end of "Waited 10000 ms in vain for …". */
  what: string;
  /** Milliseconds until it fails. */
  timeout?: number;
  /** Milliseconds between two looks. */
  interval?: number;
};

/**
 * Looks again and again until the condition answers something other than `undefined` or `false`,
 * and answers that. A tick that throws counts as not yet.
 *
 * @throws Error that says what was waited for, with the last error as its cause.
 */
export async function waitFor<T>(
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  { what, timeout = 20_000, interval = 20 }: WaitOptions,
): Promise<T> {
  const deadline = performance.now() + timeout;
  let cause: unknown;
  do {
    try {
      const found = await condition();
      if (found !== undefined && found !== false) return found;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await setTimeout(interval);
  } while (performance.now() < deadline);
  throw new Error(`Waited ${timeout} ms in vain for ${what}.`, { cause });
}
