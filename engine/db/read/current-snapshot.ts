import type { Pool } from '../connection.ts';

/**
 * The snapshot that a statement sees if it begins now, as PostgreSQL names it: which transactions have
 * ended and which are under way (`pg_current_snapshot`), on which start of the server. Two statements
 * with equal names see the same rows, because only a transaction that ends changes what is seen.
 *
 * That holds between two losses of a connection (`connectionLosses`): after a crash, PostgreSQL gives
 * the numbers of lost transactions to new ones.
 *
 * @returns `undefined` on a standby: there the list of transactions under way is always empty, so
 *   equal names may stand for different rows.
 */
export async function currentSnapshot(pool: Pool): Promise<string | undefined> {
  const [row] = await pool<{ snapshot: string; standby: boolean }[]>`
    select pg_current_snapshot() || ' ' || extract(epoch from pg_postmaster_start_time()) as snapshot,
      pg_is_in_recovery() as standby`;
  if (row === undefined) throw new Error('PostgreSQL returned no snapshot');
  return row.standby ? undefined : row.snapshot;
}
