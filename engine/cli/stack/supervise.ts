import { setTimeout } from 'node:timers/promises';
import type { Child, Exit } from './processes.ts';

/** What can be supervised: a child process, or a server that runs on its own. */
export type Stoppable = Pick<Child, 'exited'> & { stop(): Promise<unknown> };

/** The last end of a part, with a sentence if it was an error that said why. */
export type LastExit = Exit & { readonly reason?: string };

/** Thrown by `start` if starting again can never succeed: the part is given up. */
export class CannotRestartError extends Error {
  override readonly name = 'CannotRestartError';
}

/** A child that is started again whenever it ends by itself. */
export type Supervised<C extends Stoppable> = {
  /** The child that runs now, if one does: between two starts there is none. */
  current(): C | undefined;
  /** Resolves with an exit that a restart cannot mend, and that therefore was the last. */
  readonly gaveUp: Promise<LastExit>;
  /** Stops the child for good, and waits. */
  stop(): Promise<void>;
};

/** What `supervise` needs to know. */
export type SuperviseOptions<C extends Stoppable> = {
  /** What the child is called in messages. */
  name: string;
  start: () => C | Promise<C>;
  /** Exits that a restart cannot mend. Default: none. */
  isPermanent?: (exit: Exit) => boolean;
  log?: (line: string) => void;
  /** Wait before the first restart; each further one waits twice as long. Default: 500 ms. */
  firstDelayMs?: number;
  /** The longest wait. Default: 30 s. */
  longestDelayMs?: number;
  /** A child that ran this long starts over with the shortest wait. Default: 60 s. */
  stableAfterMs?: number;
};

/**
 * Starts a child, and again after each end that nobody asked for, with a growing wait.
 *
 * @throws what `start` throws at the first start; at a later one that counts as an end.
 */
export async function supervise<C extends Stoppable>(
  options: SuperviseOptions<C>,
): Promise<Supervised<C>> {
  const { isPermanent = () => false, log = () => {}, firstDelayMs = 500 } = options;
  const { longestDelayMs = 30_000, stableAfterMs = 60_000 } = options;
  const stopping = new AbortController();
  let current: C | undefined = await options.start();

  const keepRunning = async (): Promise<LastExit | undefined> => {
    let delayMs = firstDelayMs;
    for (;;) {
      const startedAt = performance.now();
      const end = await current?.exited;
      current = undefined;
      if (stopping.signal.aborted) return undefined;
      if (end && isPermanent(end)) return end;
      if (performance.now() - startedAt >= stableAfterMs) delayMs = firstDelayMs;
      log(`${options.name} ended${end ? ` ${describeExit(end)}` : ''}: again in ${delayMs} ms.`);
      await setTimeout(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return undefined;
      delayMs = Math.min(delayMs * 2, longestDelayMs);
      try {
        current = await restart(options, log);
      } catch (error) {
        if (!(error instanceof CannotRestartError)) throw error;
        return { code: null, signal: null, reason: error.message };
      }
      if (stopping.signal.aborted) await current?.stop();
    }
  };

  const running = keepRunning();
  return {
    current: () => current,
    gaveUp: new Promise((resolve) => {
      void running.then((end) => end && resolve(end));
    }),
    async stop() {
      stopping.abort();
      await current?.stop();
      await running;
    },
  };
}

/** @throws {CannotRestartError} as `start` does; any other error counts as an end. */
async function restart<C extends Stoppable>(
  options: SuperviseOptions<C>,
  log: (line: string) => void,
): Promise<C | undefined> {
  try {
    const started = await options.start();
    log(`${options.name} runs again.`);
    return started;
  } catch (error) {
    if (error instanceof CannotRestartError) throw error;
    log(`${options.name} did not start: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** An exit in words: `with code 75`, `by SIGKILL`. */
export function describeExit(exit: Exit): string {
  if (exit.signal) return `by ${exit.signal}`;
  return exit.code === null ? 'unexpectedly' : `with code ${exit.code}`;
}
