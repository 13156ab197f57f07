import type { Pool } from '../../db/connection.ts';
import { HttpError } from '../errors.ts';

/** Requests that may wait for a connection; further ones are answered 503 immediately. */
const MAX_WAITING = 64;

/** Milliseconds that a request may wait: it leaves a statement its own timeout before that of the request. */
const MAX_WAIT_MS = 15_000;

/** Limits on the requests that wait for a connection. */
export interface WaitLimits {
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/**
 * Connections for long reads. At most as many reads as there are connections run concurrently. The others
 * wait in their order, and one that waits too long never runs.
 */
export class LongReads {
  readonly #limits: WaitLimits;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(
    readonly pool: Pool,
    limits: Partial<WaitLimits> = {},
  ) {
    this.#limits = { maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS, ...limits };
  }

  /** @throws {HttpError} NOT_READY if too many reads wait, or this one waited too long; and whatever the read throws. */
  async run<T>(read: (pool: Pool) => Promise<T>): Promise<T> {
    if (this.#running >= this.pool.connections.max) await this.#turn();
    else this.#running += 1;
    try {
      return await read(this.pool);
    } finally {
      const [next] = this.#waiting;
      // The next read takes over this one's place.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Waits until a running read ends. */
  async #turn(): Promise<void> {
    if (this.#waiting.size >= this.#limits.maxWaiting) throw tooMany();
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        this.#waiting.delete(start);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(start);
        reject(tooMany());
      }, this.#limits.maxWaitMs);
      this.#waiting.add(start);
    });
  }
}

function tooMany(): HttpError {
  return new HttpError('NOT_READY', 'Too many long reads are running: try again.');
}
