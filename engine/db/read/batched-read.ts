import { isClosing, type Pool, sqlStateOf } from '../connection.ts';
import { groupBy } from '../group-by.ts';
import { type Found, type OneRead, readOne } from './one-read.ts';
import type { ReadHead } from './snapshot.ts';

/** A read by key, whose statement reads several keys. */
export interface KeyedRead<Row, T> {
  /** Selects the rows of all keys. */
  readonly select: OneRead<Row, T, 'keys'>['select'];
  /** Key of a row. */
  readonly keyOf: (row: Row) => string;
  /** Result of a key from its rows. */
  readonly answer: (rows: readonly Row[], head: ReadHead) => T;
}

/** Keys of one statement at most: one that has much to read delays only so many others. */
const MAX_KEYS = 16;

/** Concurrent statements. While they run, requests gather for the next: a large batch costs less per key. */
const MAX_RUNNING = 2;

interface Waiting<T> {
  readonly resolve: (found: Found<T>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Reads for concurrent requests by one statement, which costs little more for several keys than for one: to begin a
 * large statement takes longer than to read its rows. The statement is sent after each of these requests came, so
 * that none gets an older answer than a statement of its own would give. Nothing is cached.
 */
export function batched<Row extends object, T>(
  read: KeyedRead<Row, T>,
): (pool: Pool, key: string) => Promise<Found<T>> {
  const batches = new WeakMap<Pool, Batches<Row, T>>();
  return (pool, key) => {
    const known = batches.get(pool) ?? new Batches(pool, read);
    batches.set(pool, known);
    return known.read(key);
  };
}

/** Batches on one pool. */
class Batches<Row extends object, T> {
  readonly #pool: Pool;
  readonly #read: KeyedRead<Row, T>;
  #waiting = new Map<string, Waiting<T>[]>();
  #running = 0;
  #isDue = false;

  constructor(pool: Pool, read: KeyedRead<Row, T>) {
    this.#pool = pool;
    this.#read = read;
  }

  read(key: string): Promise<Found<T>> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) this.#waiting.set(key, [{ resolve, reject }]);
      else waiting.push({ resolve, reject });
      if (this.#isDue) return;
      this.#isDue = true;
      // After all requests that have arrived by now.
      setImmediate(() => {
        this.#isDue = false;
        this.#send();
      });
    });
  }

  #send(): void {
    while (this.#waiting.size > 0 && this.#running < MAX_RUNNING) {
      const waiting = [...this.#waiting];
      const batch = new Map(waiting.slice(0, MAX_KEYS));
      this.#waiting = new Map(waiting.slice(MAX_KEYS));
      this.#running += 1;
      void this.#run(batch).finally(() => {
        this.#running -= 1;
        this.#send();
      });
    }
  }

  /** Reads a batch. If the server refuses it, each key is read alone: it may be the fault of one. */
  async #run(batch: ReadonlyMap<string, readonly Waiting<T>[]>): Promise<void> {
    try {
      const { head, value: rowsOf } = await this.#rowsOf([...batch.keys()]);
      for (const [key, waiting] of batch) this.#settle(waiting, head, rowsOf.get(key) ?? []);
    } catch (error) {
      const isRefused = sqlStateOf(error) !== undefined && !isClosing(error);
      if (isRefused && batch.size > 1) {
        for (const one of batch) await this.#run(new Map([one]));
      } else for (const { reject } of [...batch.values()].flat()) reject(error);
    }
  }

  #settle(waiting: readonly Waiting<T>[], head: ReadHead, rows: readonly Row[]): void {
    try {
      const value = this.#read.answer(rows, head);
      for (const { resolve } of waiting) resolve({ head, value });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  #rowsOf(keys: readonly string[]): Promise<Found<ReadonlyMap<string, readonly Row[]>>> {
    const { select, keyOf } = this.#read;
    return readOne(this.#pool, {
      select,
      values: { keys },
      answer: (rows: readonly Row[]) => groupBy(rows, keyOf, (row) => row),
    });
  }
}
