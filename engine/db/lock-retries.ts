import pRetry from 'p-retry';
import { type SessionSql, type Sql, sqlStateOf } from './connection.ts';

/** Tries to get the locks of a change, and the pause between two: together a quarter of an hour. */
const LOCK_TRIES = 225;
const LOCK_PAUSE_MS = 2_000;

/**
 * Time that a statement waits for a lock. While it waits, every later query of the table waits behind it, so it gives up
 * early and tries again.
 */
const LOCK_TIMEOUT = '2s';

/** SQLSTATE of `lock_not_available`. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs a change of the schema in a transaction of a session (`withSession`). If a lock cannot be had in time, the
 * transaction is rolled back, which lets the others go first, and tried again, for about 15 minutes.
 * @param onWait is called whenever the locks could not be had in time.
 * @throws the error of the last try.
 */
export async function withLockRetries(
  session: SessionSql,
  onWait: () => void,
  work: (sql: Sql) => Promise<void>,
): Promise<void> {
  const inTransaction = () =>
    session.begin(async (sql) => {
      await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
      await work(sql);
    });
  await pRetry(inTransaction, {
    retries: LOCK_TRIES - 1,
    factor: 1,
    minTimeout: LOCK_PAUSE_MS,
    shouldRetry: ({ error }) => isLockTimeout(error),
    onFailedAttempt: ({ error }) => {
      if (isLockTimeout(error)) onWait();
    },
  });
}

function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === LOCK_NOT_AVAILABLE;
}
