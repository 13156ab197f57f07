import type { Pool, Sql } from './connection.ts';

/** Channel that announces, at commit, a settled batch: the feeder advances the settled block. */
export const SETTLED_CHANNEL = 'tributary_settled';

/** Channel that announces, at commit, moved heads or published changes to readers of the stream. */
export const CHANGES_CHANNEL = 'tributary_changes';

/** Announces a settled batch when the transaction commits. A hint: nothing depends on it. */
export async function notifySettled(sql: Sql): Promise<void> {
  await sql`select pg_notify(${SETTLED_CHANNEL}, '')`;
}

/** Announces, when the transaction commits, that there is something to tell. A hint, too. */
export async function notifyChanges(sql: Sql): Promise<void> {
  await sql`select pg_notify(${CHANGES_CHANNEL}, '')`;
}

/**
 * Listens to a channel, and again after its connection was lost.
 * @param onListening called once it listens, and again after each lost connection.
 * @returns a function that ends it.
 */
export async function listen(
  pool: Pool,
  channel: string,
  onNotify: (payload: string) => void,
  onListening: () => void = () => {},
): Promise<() => Promise<void>> {
  return await pool.connections.listen(channel, onNotify, onListening);
}
