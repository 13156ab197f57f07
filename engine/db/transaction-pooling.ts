import { closePool, connectionLosses, openPool, type Pool, type Sql } from './connection.ts';

/** End of the sentence about such a database, which begins with the variable. */
export const POOLED_BY_TRANSACTION =
  'leads to a pooler that shares sessions between transactions: use its port for session pooling, or the database itself';

/** How often sessions are compared: a pooler with free sessions may give each its own for a while. */
const TRIES = 3;

/**
 * True if a pooler such as PgBouncer gives each transaction another session of the server. Advisory locks, settings and
 * notifications, which belong to sessions, would be of somebody else then. Two connections show it: both have the
 * same session, or one of them has two.
 */
export async function isPooledByTransaction(databaseUrl: string): Promise<boolean> {
  const pools = [0, 1].map(() => openPool(databaseUrl, { max: 1 })) as [Pool, Pool];
  const [one, other] = pools;
  try {
    const losses = connectionLosses(one);
    const seen = new Set<number>();
    for (let i = 0; i < TRIES; i += 1) {
      seen.add(await sessionOf(one));
      const shared = await other.begin(async (sql) => {
        const theirs = await sessionOf(sql);
        // While this transaction holds its session, the other connection needs another one.
        seen.add(await sessionOf(one));
        return seen.has(theirs);
      });
      // A connection that was lost has another session, too.
      if (connectionLosses(one) !== losses) return false;
      if (shared || seen.size > 1) return true;
    }
    return false;
  } finally {
    await Promise.all(pools.map((pool) => closePool(pool)));
  }
}

async function sessionOf(sql: Sql): Promise<number> {
  // A prepared statement would be of one session, and be looked for in another.
  const [row] = await sql.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}
