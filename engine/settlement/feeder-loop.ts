import { setTimeout } from 'node:timers/promises';
import type { Pool } from '../db/connection.ts';
import { SWEEP_START } from '../db/indexer/backlog.ts';
import { holdLeadership, type LeaderToken } from '../db/leadership.ts';
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
  /** Called and awaited after each tick. An error is logged, and nothing more. */
  readonly onTick?: (leader: LeaderToken) => Promise<void>;
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
  const loop = new FeederLoop(options);
  const unlisten = await Promise.all([
    listen(options.pool, options.indexerChannel, () => loop.wake('block')),
    listen(options.pool, SETTLED_CHANNEL, () => loop.wake('settled')),
  ]);
  const running = loop.run();
  return {
    stop: async () => {
      loop.stop();
      await running;
      await Promise.all(unlisten.map((stop) => stop()));
    },
  };
}

/** When the next tick may begin, and when it does without a new block: times of `performance.now()`. */
interface NextTick {
  readonly earliest: number;
  readonly latest: number;
}

class FeederLoop {
  readonly #options: FeederLoopOptions;
  readonly #signal = new WakeSignal();
  #isStopping = false;

  constructor(options: FeederLoopOptions) {
    this.#options = options;
  }

  wake(what: Wake): void {
    this.#signal.raise(what);
  }

  stop(): void {
    this.#isStopping = true;
    this.#signal.raise('block');
  }

  /** Leads whenever it can, until it is stopped. After a failure it starts again. */
  async run(): Promise<void> {
    const { log, pollMs } = this.#options;
    while (!this.#isStopping) {
      try {
        await this.#lead();
      } catch (error) {
        log.error({ err: error }, 'the feeder failed and starts again');
        await setTimeout(pollMs);
      }
    }
  }

  /** Runs one tick after the other while this worker leads. */
  async #lead(): Promise<void> {
    const { pool, log } = this.#options;
    const leadership = await holdLeadership(pool, {
      stop: () => this.#isStopping,
      onEnded: (sessions) =>
        log.warn({ sessions }, 'ended sessions of a process that does not respond'),
    });
    if (leadership === undefined) return;
    const tickOptions = this.#tickOptions(leadership.token);
    try {
      let isLeading = await leadership.held();
      while (isLeading && !this.#isStopping) {
        const startedAt = performance.now();
        // Leadership is checked concurrently: a write of a former leader is rejected by its token.
        const [isBehind, isHeld] = await Promise.all([this.#tick(tickOptions), leadership.held()]);
        isLeading = isHeld;
        await this.#options.onTick?.(leadership.token).catch((error: unknown) => {
          log.warn({ err: error }, 'a tick could not be reported');
        });
        await this.#advanceUntil(this.#nextTick(startedAt, isBehind), tickOptions);
      }
    } finally {
      await leadership.release();
    }
  }

  #tickOptions(leader: LeaderToken): FeederOptions {
    const { queue, log, chain } = this.#options;
    const oldestMs = async () => (await queue.counts()).oldestMs ?? 0;
    return {
      ...this.#options,
      leader,
      onChainError: (error: unknown) => log.warn({ err: error }, 'the RPC does not answer'),
      pushed: { facts: new RecentPushes(oldestMs), clocks: new RecentPushes(oldestMs) },
      sweep: { after: SWEEP_START },
      seen: { schema: undefined },
      watch: new ChainWatch(chain.restMs),
    };
  }

  /** @returns true if campaigns wait for a worker. */
  async #tick(tickOptions: FeederOptions): Promise<boolean> {
    const isAnnounced = this.#signal.isRaised('block');
    this.#signal.clear();
    return await feed({ ...tickOptions, isAnnounced });
  }

  /** While campaigns wait for workers, a tick over thousands of them is followed by a pause as long. */
  #nextTick(startedAt: number, isBehind: boolean): NextTick {
    const pauseMs = isBehind ? 2 * (performance.now() - startedAt) : 0;
    return {
      earliest: startedAt + Math.max(MIN_TICK_MS, pauseMs),
      latest: startedAt + this.#options.pollMs,
    };
  }

  /** Between two blocks, only advances the settled block; that does not need a full tick. */
  async #advanceUntil({ earliest, latest }: NextTick, tickOptions: FeederOptions): Promise<void> {
    for (;;) {
      const due = this.#signal.isRaised('block') ? earliest : Math.max(earliest, latest);
      if (this.#isStopping || performance.now() >= due) return;
      if (!this.#signal.consume('settled')) {
        await this.#signal.next(due);
        continue;
      }
      const began = performance.now();
      await advanceSettledBlock(tickOptions);
      // However many batches are settled, this takes at most a third of one connection's time.
      const restMs = Math.min(2 * (performance.now() - began), due - performance.now());
      await setTimeout(Math.max(0, restMs));
    }
  }
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
    // A busy process may reach this after the deadline: of a negative time Node warns.
    const ms = Math.max(0, deadline - performance.now());
    await setTimeout(ms, undefined, { signal: woken.signal }).catch(() => {});
    this.#wake = () => {};
  }
}
