import { advisoryLocks } from './advisory-locks.ts';
import type { Pool } from './connection.ts';

/** Milliseconds between two tries to lead. */
const RETRY_MS = 500;

export interface Leadership {
  /** Whether the session that holds the lock is still there. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Waits until no other worker leads, then leads until `release`, or until the session is cut:
 * PostgreSQL frees the lock of a session that ends, so that another worker takes over.
 * @param stop answers whether to stop waiting.
 * @returns `undefined` where it was stopped.
 */
export async function holdLeadership(
  pool: Pool,
  stop: () => boolean,
): Promise<Leadership | undefined> {
  const session = await pool.reserve();
  const tryLock = async () => {
    const [row] = await session<{ locked: boolean }[]>`
      select pg_try_advisory_lock(${advisoryLocks.lead}) as locked`;
    return row?.locked === true;
  };
  try {
    while (!(await tryLock())) {
      if (stop()) {
        session.release();
        return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  } catch (error) {
    session.release();
    throw error;
  }
  return {
    held: async () => {
      // A cut session does not throw here: the driver would answer from a new one, without the lock.
      const [row] = await session<{ held: boolean }[]>`
        select exists (
          select 1 from pg_locks
          where locktype = 'advisory' and pid = pg_backend_pid() and objid = ${advisoryLocks.lead} and granted
        ) as held`;
      return row?.held === true;
    },
    release: async () => {
      await session`select pg_advisory_unlock(${advisoryLocks.lead})`.catch(() => {});
      session.release();
    },
  };
}
