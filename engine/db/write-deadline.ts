import type { Pool, Sql } from './connection.ts';

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
  bind(pool: Pool, hooks: WriteHooks = {}): Pool {
    return new Proxy(pool, {
      apply: (target, that, args) => this.#watch(Reflect.apply(target, that, args)),
      get: (target, name) => {
        if (name === 'begin') return this.#begin(target, hooks);
        if (name === 'unsafe') {
          return (...args: Parameters<Pool['unsafe']>) => this.#watch(target.unsafe(...args));
        }
        if (name === 'file') {
          throw new Error('a request may not use "file": its time limit does not cover it');
        }
        return Reflect.get(target, name);
      },
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

  #begin(pool: Pool, { afterBegin, beforeCommit }: WriteHooks) {
    return async (...args: [string, Write] | [Write]): Promise<unknown> => {
      const [options, write] = args.length === 2 ? args : ['', args[0]];
      this.signal.throwIfAborted();
      const mayWrite = !isReadOnly(options);
      const transaction: Promise<unknown> = pool.begin(options, async (sql) => {
        if (mayWrite) await afterBegin?.(sql);
        const written = write(sql);
        const result = await (Array.isArray(written) ? Promise.all(written) : written);
        if (mayWrite) await beforeCommit?.(sql);
        this.signal.throwIfAborted();
        // From here on the commit is on its way.
        this.#track(transaction);
        return result;
      });
      return await transaction;
    };
  }

  /** Refuses a statement after the limit, and notes one that is on its way. A part of one is neither. */
  #watch<T>(statement: T): T {
    if (!(statement instanceof Promise)) return statement;
    const then = statement.then.bind(statement);
    // A statement is sent when somebody waits for it; one that is a part of another never is.
    const watched = (...handlers: Parameters<typeof then>) => {
      if (this.signal.aborted) return Promise.reject(this.signal.reason).then(...handlers);
      const result = then(...handlers);
      this.#track(result);
      return result;
    };
    Object.defineProperty(statement, 'then', { value: watched });
    return statement;
  }

  #track(promise: Promise<unknown>): void {
    const settled = promise.then(
      () => {},
      () => {},
    );
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
  }
}

/** True for the options of a transaction in which a write fails. */
function isReadOnly(options: string): boolean {
  return options.includes('read only');
}

type Write = (sql: Sql) => unknown;
