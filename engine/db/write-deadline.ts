import type { Pool, Sql } from './connection.ts';
import { type PoolPort, poolOf, type Work } from './pool.ts';

/** Milliseconds that statements on their way may still take: a little more than one statement may. */
const SETTLE_MS = 6_000;

/** Steps of a request in each of its transactions besides its writes. */
export interface WriteHooks {
  readonly afterBegin?: (sql: Sql) => Promise<void>;
  readonly beforeCommit?: (sql: Sql) => Promise<void>;
}

/**
 * The time limit of one request for everything that it stores. Once the limit has passed and
 * {@link expire} has resolved, the request can store nothing more: it can be answered that it failed.
 *
 * A transaction is stored by its commit, so it is asked before the commit whether there is time left.
 * A commit that has been sent, and a single statement outside of a transaction, cannot be called back:
 * `expire` waits for their end.
 */
export class WriteDeadline {
  readonly #controller = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  /** Aborted when the limit has passed, with the error that was given to `expire`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * The pool, for this request alone: it refuses what comes after the limit.
   * @param hooks called at the start and at the end of each transaction that may write.
   */
  bind({ port, connections }: Pool, hooks: WriteHooks = {}): Pool {
    const refuse = () => {
      throw new Error('a request may not do this outside of a transaction: it has a time limit');
    };
    return poolOf(connections, {
      send: async (statement) => {
        this.signal.throwIfAborted();
        return await this.#track(port.send(statement));
      },
      cursor: refuse,
      copyIn: refuse,
      copyOut: refuse,
      begin: (options, work) => this.#begin(port, hooks, options, work),
    });
  }

  /**
   * Lets nothing more be stored, and waits for what cannot be called back any more, for 6 s at most.
   * Only a database that does not answer takes longer; then it is unknown whether that was stored.
   * @param reason the error of everything that is refused from now on.
   */
  async expire(reason: Error): Promise<void> {
    this.#controller.abort(reason);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, SETTLE_MS);
    });
    await Promise.race([Promise.allSettled(this.#underWay), late]);
    clearTimeout(timer);
  }

  async #begin<T>(
    port: PoolPort,
    { afterBegin, beforeCommit }: WriteHooks,
    options: string,
    work: Work<T>,
  ): Promise<T> {
    this.signal.throwIfAborted();
    const mayWrite = !isReadOnly(options);
    const transaction: Promise<T> = port.begin(options, async (sql) => {
      if (mayWrite) await afterBegin?.(sql);
      const result = await work(sql);
      if (mayWrite) await beforeCommit?.(sql);
      this.signal.throwIfAborted();
      // From here on the commit is on its way.
      void this.#track(transaction);
      return result;
    });
    return await transaction;
  }

  #track<T>(promise: Promise<T>): Promise<T> {
    const settled = promise.then(
      () => {},
      () => {},
    );
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
    return promise;
  }
}

/** True for the options of a transaction in which a write fails. */
function isReadOnly(options: string): boolean {
  return options.includes('read only');
}
