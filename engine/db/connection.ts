import postgres from 'postgres';

/** A pool of connections, or a transaction on one of them: what every query function takes. */
export type Sql = postgres.Sql | postgres.TransactionSql;
export type Pool = postgres.Sql;

/** A part of a statement, to be put into others. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export interface PoolOptions {
  /** Connections at most; default 10. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Milliseconds a statement may run; default none. */
  readonly statementTimeoutMs?: number;
}

/**
 * Opens a pool. Integers and numerics wider than 53 bits come back as strings, so that no amount
 * ever passes through a floating-point number.
 */
export function openPool(databaseUrl: string, options: PoolOptions = {}): Pool {
  return postgres(databaseUrl, {
    max: options.max ?? 10,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'tributary',
      ...(options.statementTimeoutMs === undefined
        ? {}
        : { statement_timeout: options.statementTimeoutMs }),
    },
  });
}
