import { advisoryLocks } from '../advisory-locks.ts';
import type { Pool, Sql } from '../connection.ts';
import { withLock } from '../with-lock.ts';

export { readIndexerHead } from './head.ts';

/** Channel that announces, at commit, that settlement reads the tables of another generation. */
export const GENERATION_CHANNEL = 'tributary_generation';

/** Seconds without a heartbeat after which an indexer that has its schema locked is dead. */
const DEAD_AFTER_SECONDS = 30;

/** How often the chain was indexed again; also 0 before the first start. */
export async function readGeneration(sql: Sql): Promise<number> {
  const [row] = await sql<{ indexer_generation: number }[]>`
    select indexer_generation from ledger.head`;
  return row?.indexer_generation ?? 0;
}

/** Whether a process runs the indexer of a schema, and whether it is done with its first backfill. */
export async function indexerProcess(
  sql: Sql,
  schema: string,
): Promise<{ readonly running: boolean; readonly ready: boolean }> {
  const [row] = await sql<{ running: boolean; ready: boolean }[]>`
    select (value ->> 'is_locked')::int = 1 and to_timestamp((value ->> 'heartbeat_at')::float8 / 1000)
        > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}) as running,
      (value ->> 'is_ready')::int = 1 as ready
    from ${sql(schema)}._ponder_meta where key = 'app'`;
  return row ?? { running: false, ready: false };
}

/** The schema that settlement reads from now on, and the one that it read. */
export interface Change {
  readonly from: { readonly schema: string; readonly generation: number };
  readonly to: { readonly schema: string; readonly generation: number };
}

/**
 * Lets settlement read another generation's tables. A campaign whose last folded fact is not in them,
 * though the ledger recorded its block as final, can only be folded again: it is stopped until a replay
 * has done so. What the new indexer calls final does not matter: a reorg may have come before it. The
 * feeder asks the chain about every other missing fact.
 * @returns the campaigns that were stopped; `undefined` where another process changed the schema before.
 */
export async function changeGeneration(
  pool: Pool,
  { from, to }: Change,
): Promise<readonly string[] | undefined> {
  return await pool.begin(async (sql) => {
    const changed = await sql`
      update ledger.head
      set indexer_schema = ${to.schema}, indexer_generation = ${to.generation}, updated_at = now()
      where indexer_schema = ${from.schema} and indexer_generation = ${from.generation}
      returning 1`;
    if (changed.length === 0) return undefined;
    const stopped = await sql<{ campaign_id: string }[]>`
      update ledger.cursor c set stopped_at = now(),
        stopped_reason = 'log ' || c.log_index || ' of block ' || c.block_number
          || ' is not in what was indexed anew'
      where c.stopped_at is null and c.block_number <= (
        select finalized_number from ledger.head where finalized_hash is not null
      ) and not exists (
        select 1 from ${sql(to.schema)}.chain_event f
        where f.campaign_id = c.campaign_id and f.block_number = c.block_number
          and f.log_index = c.log_index and f.block_hash = c.block_hash
      )
      returning c.campaign_id`;
    await sql`select pg_notify(${GENERATION_CHANNEL}, ${to.schema})`;
    return stopped.map((row) => row.campaign_id);
  });
}

/**
 * Does work that one process at a time may do: making a generation, and dropping one.
 * @returns `undefined` where another process is at it.
 */
export async function withReindexLock<T>(
  pool: Pool,
  work: () => Promise<T>,
): Promise<T | undefined> {
  return await withLock(pool, advisoryLocks.reindex, work);
}

/** Schemas that indexers of this deployment made, in this database: their tables, and their caches. */
export async function indexerSchemas(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ nspname: string }[]>`
    select nspname from pg_namespace
    where nspname ~ '^indexer_[0-9a-f]{12}$' or nspname ~ '^ponder_sync(_[0-9]+)?$'
    order by nspname`;
  return rows.map((row) => row.nspname);
}

/** Drops an indexer's schema, of tables or of a cache, and what was checked of it. */
export async function dropIndexerSchema(pool: Pool, schema: string): Promise<void> {
  await pool.begin(async (sql) => {
    await sql`drop schema if exists ${sql(schema)} cascade`;
    await sql`delete from ledger.checked_head where indexer_schema = ${schema}`;
  });
}

/** Whether there is a schema of that name. */
export async function schemaExists(sql: Sql, schema: string): Promise<boolean> {
  const rows = await sql`select 1 from pg_namespace where nspname = ${schema}`;
  return rows.length > 0;
}
