import type { Pool, Sql } from '../../engine/db/connection.ts';

/**
 * Does a piece of work in a transaction, and keeps its locks.
 * @returns a function that commits the transaction, and waits for the commit.
 */
export async function holdLocks(
  pool: Pool,
  work: (sql: Sql) => Promise<unknown>,
): Promise<() => Promise<void>> {
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = pool.begin(async (sql) => {
      await work(sql);
      resolve();
      await committed;
    });
    ended.catch(reject);
  });
  return async () => {
    commit();
    await ended;
  };
}

/** Sessions that wait for a lock in the test's own database: other tests use the same server. */
export async function waitingSessions(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}
