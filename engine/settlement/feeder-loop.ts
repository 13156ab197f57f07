import { setTimeout } from 'node:timers/promises';
import type { Pool } from '../db/connection.ts';
import { SWEEP_START } from '../db/indexer/backlog.ts';
import { holdLeadership } from '../db/leadership.ts';
import { listen, SETTLED_CHANNEL } from '../db/notify.ts';
import type { SettleQueue } from '../queue/settle-queue.ts';
import { ChainWatch } from './chain-watch.ts';
import { advanceSettledBlock, feed } from './feeder.ts';
import { RecentPushes } from './recent-pushes.ts';
import type { FeederOptions } from './tick.ts';

/** Options of the feeder's loop. */
export interface FeederLoopOptions
  extends Omit<
    FeederOptions,
    'isAnnounced' | 'leader' | 'onChainError' | 'pushed' | 'seen' | 'sweep' | 'watch'
  > {
  readonly pool: Pool;
  readonly queue: Pick<SettleQueue, 'push' | 'counts'>;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Milliseconds between two ticks if nothing wakes it. */
  readonly pollMs: number;
  /** The indexer's NOTIFY channel, a hint that there is a new block. */
  readonly indexerChannel: string;
}

/** Milliseconds from the start of a tick to the next one, however often it is woken. */
const MIN_TICK_MS = 25;

/** A running feeder. */
export interface Feeder {
  stop(): Promise<void>;
}

/** Starts feeding the queue while this worker leads. The indexer and settled batches wake it. */
export async function startFeeder(options: FeederLoopOptions): Promise<Feeder> {
  const { pool, queue, log, pollMs } = options;
  const signal = new WakeSignal();
  let stopping = false;
  const unlisten = await Promise.all([
    listen(pool, options.indexerChannel, () => signal.raise('block')),
    listen(pool, SETTLED_CHANNEL, () => signal.raise('settled')),
  ]);

  function logEnded(sessions: number): void {
    log.warn({ sessions }, 'ended sessions of a process that does not respond');
  }

  async function lead(): Promise<void> {
    const leadership = await holdLeadership(pool, { stop: () => stopping, onEnded: logEnded });
    if (leadership === undefined) return;
    const oldestMs = async () => (await queue.counts()).oldestMs ?? 0;
    const tickOptions = {
      ...options,
      leader: leadership.token,
      onChainError: (error: unknown) => log.warn({ err: error }, 'the RPC does not answer'),
      pushed: { facts: new RecentPushes(oldestMs), clocks: new RecentPushes(oldestMs) },
      sweep: { after: SWEEP_START },
      seen: { schema: undefined },
      watch: new ChainWatch(options.chain.restMs),
    };
    try {
      for (let held = await leadership.held(); held && !stopping; ) {
        const started = performance.now();
        const isAnnounced = signal.isRaised('block');
        signal.clear();
        // Checked concurrently, because a new block waits for the tick: a write of a former leader is rejected
        // by its token.
        const [isBehind, isHeld] = await Promise.all([
          feed({ ...tickOptions, isAnnounced }),
          leadership.held(),
        ]);
        held = isHeld;
        const elapsedMs = performance.now() - started;
        // While campaigns wait for workers, a tick over thousands of them is followed by a pause as long.
        const pauseMs = isBehind ? 2 * elapsedMs : 0;
        await advanceUntilTick(
          tickOptions,
          started + Math.max(MIN_TICK_MS, pauseMs),
          started + pollMs,
        );
      }
    } finally {
      await leadership.release();
    }
  }

  /**
   * Between two blocks, only advances the settled block; that does not need a full tick.
   * @param earliest time before which no tick begins, and `latest` by which one does; milliseconds.
   */
  async function advanceUntilTick(
    tickOptions: FeederOptions,
    earliest: number,
    latest: number,
  ): Promise<void> {
    for (;;) {
      const due = signal.isRaised('block') ? earliest : Math.max(earliest, latest);
      if (stopping || performance.now() >= due) return;
      if (!signal.consume('settled')) {
        await signal.next(due);
        continue;
      }
      const began = performance.now();
      await advanceSettledBlock(tickOptions);
      // However many batches are settled, this takes at most a third of one connection's time.
      await setTimeout(Math.min(2 * (performance.now() - began), due - performance.now()));
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await lead();
      } catch (error) {
        log.error({ err: error }, 'the feeder failed and starts again');
        await setTimeout(pollMs);
      }
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping = true;
      signal.raise('block');
      await running;
      await Promise.all(unlisten.map((stop) => stop()));
    },
  };
}

type Wake = 'block' | 'settled';

/** Remembers signals raised while nothing is waiting. */
class WakeSignal {
  readonly #raised = new Set<Wake>();
  #wake = () => {};

  raise(what: Wake): void {
    this.#raised.add(what);
    this.#wake();
  }

  clear(): void {
    this.#raised.clear();
  }

  isRaised(what: Wake): boolean {
    return this.#raised.has(what);
  }

  /** True if the signal was raised; clears it. */
  consume(what: Wake): boolean {
    return this.#raised.delete(what);
  }

  /** Waits for the next signal, or until the deadline, a time of `performance.now()`. */
  async next(deadline: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const ms = deadline - performance.now();
    await setTimeout(ms, undefined, { signal: woken.signal }).catch(() => {});
    this.#wake = () => {};
  }
}
