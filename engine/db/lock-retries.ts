import pRetry from 'p-retry';
import { type SessionSql, type Sql, sqlStateOf } from './connection.ts';

/** Tries to get the locks of a change, and the pause between two: together a quarter of an hour. */
const LOCK_TRIES = 225;
const LOCK_PAUSE_MS = 2_000;

/** SQLSTATE of `lock_not_available`. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Options of `withLockRetries`. */
export interface LockRetries {
  /**
   * Time that a statement waits for a lock, as PostgreSQL writes it. While it waits, every later query of the
   * table waits behind it, so it gives up early and tries again.
   */
  readonly timeout: string;
  /** Milliseconds between two tries; default 2 s. */
  readonly pauseMs?: number;
  /** Is called whenever the locks could not be had in time. */
  readonly onWait: () => void;
}

/**
 * Runs a change of the schema in a transaction of a session (`withSession`). If a lock cannot be had in time, the
 * transaction is rolled back, which lets the others go first, and tried again, for about 15 minutes.
 * @throws the error of the last try.
 */
export async function withLockRetries<T>(
  session: SessionSql,
  { timeout, pauseMs = LOCK_PAUSE_MS, onWait }: LockRetries,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const inTransaction = () =>
    session.begin(async (sql) => {
      await sql`select set_config('lock_timeout', ${timeout}, true)`;
      return await work(sql);
    });
  return await pRetry(inTransaction, {
    retries: Math.floor((LOCK_TRIES * LOCK_PAUSE_MS) / pauseMs) - 1,
    factor: 1,
    minTimeout: pauseMs,
    shouldRetry: ({ error }) => isLockTimeout(error),
    onFailedAttempt: ({ error }) => {
      if (isLockTimeout(error)) onWait();
    },
  });
}

function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === LOCK_NOT_AVAILABLE;
}
