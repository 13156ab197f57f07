import { SWEEP_START } from '../db/backlog.ts';
import type { Pool } from '../db/connection.ts';
import { holdLeadership } from '../db/leadership.ts';
import { listen, SETTLED_CHANNEL } from '../db/notify.ts';
import { type FeederOptions, feed, followSettled } from './feeder.ts';
import { Pushed } from './pushed.ts';
import type { SettleQueue } from './queue.ts';

export interface FeederLoopOptions
  extends Omit<FeederOptions, 'onChainError' | 'pushed' | 'sweep'> {
  readonly pool: Pool;
  readonly queue: Pick<SettleQueue, 'push' | 'counts'>;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Milliseconds between two looks where nothing wakes it. */
  readonly pollMs: number;
  /** The indexer's NOTIFY channel, a hint that there is a new block. */
  readonly indexerChannel: string;
}

/** From the start of a look to that of the next at least, however often it is woken. */
const LEAST_PAUSE_MS = 25;

/** A feeder under way. */
export interface Feeder {
  stop(): Promise<void>;
}

/** Feeds the queue while this worker leads; woken by the indexer and by settled batches. */
export async function startFeeder(options: FeederLoopOptions): Promise<Feeder> {
  const { pool, queue, log, pollMs } = options;
  const bell = new Bell();
  let stopping = false;
  const unlisten = await Promise.all([
    listen(pool, options.indexerChannel, () => bell.ring('block')),
    listen(pool, SETTLED_CHANNEL, () => bell.ring('settled')),
  ]);

  async function lead(): Promise<void> {
    const leadership = await holdLeadership(pool, () => stopping);
    if (leadership === undefined) return;
    const oldestMs = async () => (await queue.counts()).oldestMs ?? 0;
    const looking = {
      ...options,
      onChainError: (error: unknown) => log.warn({ err: error }, 'the RPC does not answer'),
      pushed: { facts: new Pushed(oldestMs), clocks: new Pushed(oldestMs) },
      sweep: { after: SWEEP_START },
    };
    try {
      while (!stopping && (await leadership.held())) {
        const started = performance.now();
        bell.silence();
        await feed(looking);
        const took = performance.now() - started;
        // A look over thousands of campaigns takes longer, and is worth a pause as long.
        await follow(looking, started + Math.max(LEAST_PAUSE_MS, 2 * took), started + pollMs);
      }
    } finally {
      await leadership.release();
    }
  }

  /**
   * Until the next look is due, which is with the next block, follows up what is settled: that is not
   * worth a whole look.
   * @param earliest before which no look begins, and `latest` by which one does; milliseconds.
   */
  async function follow(looking: FeederOptions, earliest: number, latest: number): Promise<void> {
    for (;;) {
      const due = bell.has('block') ? earliest : Math.max(earliest, latest);
      if (stopping || performance.now() >= due) return;
      if (!bell.take('settled')) {
        await bell.next(due);
        continue;
      }
      const followed = performance.now();
      await followSettled(looking);
      // However many batches are settled, this takes a third of one connection's time at most.
      await sleep(Math.min(2 * (performance.now() - followed), due - performance.now()));
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await lead();
      } catch (error) {
        log.error({ err: error }, 'the feeder failed and starts again');
        await sleep(pollMs);
      }
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping = true;
      bell.ring('block');
      await running;
      await Promise.all(unlisten.map((stop) => stop()));
    },
  };
}

type Ring = 'block' | 'settled';

/** Who rings while nobody listens is heard when somebody does. */
class Bell {
  readonly #rung = new Set<Ring>();
  #hear = () => {};

  ring(what: Ring): void {
    this.#rung.add(what);
    this.#hear();
  }

  silence(): void {
    this.#rung.clear();
  }

  has(what: Ring): boolean {
    return this.#rung.has(what);
  }

  /** Whether it has rung, which counts as heard. */
  take(what: Ring): boolean {
    return this.#rung.delete(what);
  }

  /** Waits for the next ring, and until the deadline at the latest. */
  async next(deadline: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, deadline - performance.now());
      this.#hear = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#hear = () => {};
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
