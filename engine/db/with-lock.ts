import { type Pool, type Sql, withSession } from './connection.ts';

/**
 * Does work that one process of a deployment may do at a time.
 * @param lock one of `advisoryLocks`.
 * @returns `undefined` if another process holds the lock: then nothing was done.
 */
export async function withLock<T>(
  pool: Pool,
  lock: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  return await withSession(pool, async (session) => {
    const [row] = await session<{ locked: boolean }[]>`
      select pg_try_advisory_lock(${lock}) as locked`;
    if (row?.locked !== true) return undefined;
    try {
      return await work();
    } finally {
      // The server would notice the end of the session a little later. A lost session has lost the lock.
      await unlock(session, lock).catch(() => {});
    }
  });
}

async function unlock(session: Sql, lock: number): Promise<void> {
  await session`select pg_advisory_unlock(${lock})`;
}
