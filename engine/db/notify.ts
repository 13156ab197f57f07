import type { Pool, Sql } from './connection.ts';

/** Told, at commit, that a batch was settled: the feeder moves the settled head at once. */
export const SETTLED_CHANNEL = 'tributary_settled';

/** Announces a settled batch when the transaction commits. A hint: nothing depends on it. */
export async function notifySettled(sql: Sql, campaignId: string): Promise<void> {
  await sql`select pg_notify(${SETTLED_CHANNEL}, ${campaignId})`;
}

/**
 * Listens to a channel; the driver reconnects by itself.
 * @returns a function that ends it.
 */
export async function listen(
  pool: Pool,
  channel: string,
  onNotify: (payload: string) => void,
): Promise<() => Promise<void>> {
  const { unlisten } = await pool.listen(channel, onNotify);
  return unlisten;
}
