import { setTimeout } from 'node:timers/promises';
import { describeExit, type Exit } from './processes.ts';

/** Part that can be supervised: a child process, or a server that runs on its own. */
export type Stoppable = {
  readonly exited: Promise<Exit>;
  stop(): Promise<unknown>;
};

/** Thrown by `start` if no further start can succeed: the part has ended for good. */
export class CannotRestartError extends Error {
  override readonly name = 'CannotRestartError';
}

/** A child that is restarted whenever it ends unexpectedly. */
export type Supervised<C extends Stoppable> = {
  /** The running child; `undefined` between two starts. */
  current(): C | undefined;
  /** Resolves with the last exit if a restart cannot help. */
  readonly gaveUp: Promise<Exit>;
  /** Stops the child for good, and waits. */
  stop(): Promise<void>;
};

/** Options of `supervise`. */
export type SuperviseOptions<C extends Stoppable> = {
  /** Name of the child in messages. */
  name: string;
  start: () => C | Promise<C>;
  /** True for exits after which a restart cannot help. Default: none. */
  isPermanent?: (exit: Exit) => boolean;
  log?: (line: string) => void;
  /** Milliseconds before the first restart, doubled for each further one. Default: 500. */
  firstDelayMs?: number;
  /** Maximum milliseconds before a restart. Default: 30,000. */
  longestDelayMs?: number;
  /** Milliseconds after which a running child resets the wait. Default: 60,000. */
  stableAfterMs?: number;
};

/**
 * Starts a child, and restarts it after each unexpected end, with growing waits.
 *
 * @throws the error of the first `start`; an error of a later start counts as an end.
 */
export async function supervise<C extends Stoppable>(
  options: SuperviseOptions<C>,
): Promise<Supervised<C>> {
  const { isPermanent = () => false, log = () => {}, firstDelayMs = 500 } = options;
  const { longestDelayMs = 30_000, stableAfterMs = 60_000 } = options;
  const stopping = new AbortController();
  let current: C | undefined = await options.start();

  const keepRunning = async (): Promise<Exit | undefined> => {
    let delayMs = firstDelayMs;
    let endsInARow = 0;
    for (;;) {
      const startedAt = performance.now();
      const end = await current?.exited;
      current = undefined;
      if (stopping.signal.aborted) return undefined;
      if (end && isPermanent(end)) return end;
      if (performance.now() - startedAt >= stableAfterMs) {
        delayMs = firstDelayMs;
        endsInARow = 0;
      }
      endsInARow += 1;
      log(`${options.name} ${endingOf(end, endsInARow)}: restarting in ${delayMs} ms.`);
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

/** Starts the child again. @throws {CannotRestartError} from `start`; other errors count as an end. */
async function restart<C extends Stoppable>(
  options: SuperviseOptions<C>,
  log: (line: string) => void,
): Promise<C | undefined> {
  try {
    const started = await options.start();
    log(`${options.name} is running again.`);
    return started;
  } catch (error) {
    if (error instanceof CannotRestartError) throw error;
    log(`${options.name} did not start: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** Maximum characters of a reason in a line. */
const MAX_REASON = 300;

/** Text for an end: `ended with code 75 (the database is away)`, `ended by SIGKILL, 3 times in a row`. */
function endingOf(end: Exit | undefined, endsInARow: number): string {
  const how = end === undefined ? '' : ` ${describeExit(end)}`;
  const why = end?.reason === undefined ? '' : ` (${end.reason.slice(0, MAX_REASON)})`;
  const count = endsInARow < 3 ? '' : `, ${endsInARow} times in a row`;
  return `ended${how}${why}${count}`;
}
