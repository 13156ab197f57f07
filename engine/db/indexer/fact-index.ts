import type { Pool } from '../connection.ts';
import { asIndexed } from '../planner.ts';

/** PostgreSQL's codes: the lock was not to be had in time, and the role does not own the table. */
const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';

/** Milliseconds to wait for the indexer's transactions; the next tick tries again. */
const LOCK_TIMEOUT_MS = 1_000;

/**
 * Makes an index of the indexer's facts by block, if there is none. The indexer's own key begins with the
 * campaign, so without this index "which facts do these blocks have" is a probe of every campaign that exists.
 * The table of a version before has Ponder's event id in its key, and gets an index of what is the key now. The
 * indexer drops its own secondary indexes while it recovers from a crash, and does not know these.
 * Without them everything is right, and slow.
 */
export async function ensureFactIndex(pool: Pool, schema: string): Promise<void> {
  const [lacks] = await pool<{ byBlock: boolean; byCampaign: boolean }[]>`
    select to_regclass(${`"${schema}".tributary_fact_across`}) is null as "byBlock",
      to_regclass(${`"${schema}".tributary_fact_campaign`}) is null and exists (
        select from pg_attribute where attname = 'id' and not attisdropped
          and attrelid = to_regclass(${`"${schema}".chain_event`})
      ) as "byCampaign"`;
  if (!lacks?.byBlock && !lacks?.byCampaign) return;
  try {
    await pool.begin(async (sql) => {
      const table = sql`${sql(schema)}.chain_event`;
      await sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true),
        set_config('statement_timeout', '0', true)`;
      if (lacks.byBlock) {
        // Of a version before, by the block itself: the planner takes it for a campaign's facts (`asIndexed`).
        await sql`drop index if exists ${sql(schema)}.tributary_fact_block`;
        await sql`
          create index if not exists tributary_fact_across
          on ${table} (${asIndexed(sql, sql`block_number`)})`;
      }
      if (lacks.byCampaign) {
        await sql`
          create index if not exists tributary_fact_campaign
          on ${table} (campaign_id, block_number, log_index)`;
      }
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== LOCK_NOT_AVAILABLE && code !== INSUFFICIENT_PRIVILEGE) throw error;
  }
}

/** True if the indexer has a fact above a block. */
export async function hasFactsAfter(
  pool: Pool,
  schema: string,
  blockNumber: number,
): Promise<boolean> {
  const [row] = await pool<{ exists: boolean }[]>`
    select exists (
      select from ${pool(schema)}.chain_event
      where ${asIndexed(pool, pool`block_number`)} > ${blockNumber}
    ) as exists`;
  return row?.exists === true;
}
