import type { Pool } from '../../../engine/db/connection.ts';

/** How a transaction dies. */
export type Death =
  /** The worker stops using it, as a process that is killed does: the server rolls it back. */
  | 'abandoned'
  /** The server cancels a statement of it. */
  | 'cancelled';

/** Error of a killed transaction, in the form of a lost connection. */
class KilledError extends Error {
  override readonly name = 'KilledError';
  readonly code = 'CONNECTION_CLOSED';
}

/**
 * A pool whose next transactions die before one of their statements.
 * @param deaths the number of the statement before which each next transaction dies, and how.
 * @param onDeath called when one dies.
 */
export function killingPool(
  pool: Pool,
  deaths: { statement: number; death: Death }[],
  onDeath: () => void,
): Pool {
  return new Proxy(pool, {
    get: (target, name, receiver) => {
      if (name !== 'begin') return Reflect.get(target, name, receiver);
      return async (...args: unknown[]) => {
        const run = args.pop();
        const next = deaths.shift();
        if (typeof run !== 'function') throw new TypeError('a transaction needs a function');
        const wrapped =
          next === undefined ? run : (sql: Transaction) => run(dying(sql, next, onDeath));
        return await Reflect.apply(target.begin, target, [...args, wrapped]);
      };
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a tagged template of postgres.js, passed through.
type Transaction = (...args: any[]) => any;

function dying(
  sql: Transaction,
  { statement, death }: { readonly statement: number; readonly death: Death },
  onDeath: () => void,
): Transaction {
  let left = statement;
  return new Proxy(sql, {
    apply: (target, self, args) => {
      const isStatement = Array.isArray(args[0]) && 'raw' in args[0];
      if (isStatement && left === 0) {
        onDeath();
        if (death === 'abandoned') throw new KilledError('the worker was killed in a transaction');
        left = -1;
        // Whatever the transaction asks after this fails, as the transaction has.
        void Promise.resolve(target`select pg_cancel_backend(pg_backend_pid())`).catch(() => {});
      }
      if (isStatement && left > 0) left -= 1;
      return Reflect.apply(target, self, args);
    },
  });
}
