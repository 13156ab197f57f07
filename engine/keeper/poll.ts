import { setTimeout } from 'node:timers/promises';

/** Something that polls until it is stopped. */
export interface Polling {
  /** Resolves when the poll that is under way has ended. */
  stop(): Promise<void>;
}

/**
 * Polls until it is stopped. A poll that fails is reported, and the next one follows.
 * @param everyMs milliseconds from the end of a poll to the next one.
 */
export function startPolling(
  everyMs: number,
  poll: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Polling {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await poll().catch(onFailure);
      await setTimeout(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
