import type { Pool } from '../connection.ts';

/**
 * What a statement that begins now sees, as PostgreSQL names it: the transactions that have ended and
 * those that are under way (`pg_current_snapshot`). Two statements of the same name see the same rows,
 * for what a statement sees changes by nothing but a transaction that ends.
 */
export async function currentSnapshot(pool: Pool): Promise<string> {
  const [row] = await pool<{ snapshot: string }[]>`select pg_current_snapshot()::text as snapshot`;
  if (row === undefined) throw new Error('PostgreSQL named no snapshot');
  return row.snapshot;
}
