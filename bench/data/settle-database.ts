import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { setIndexerSchema } from '../../engine/db/heads.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { IndexerTable } from '../../test/support/indexer-table.ts';
import { copyFacts } from './indexed-facts.ts';
import { blockAt, lastBlock, type SaleHistory, saleFacts, setupFacts } from './sale-history.ts';

const SCHEMA = 'indexer_bench';

/** Facts in a database that wait to be settled. */
export interface Indexed {
  readonly name: string;
  readonly history: SaleHistory;
  /** Sum of all campaigns' cursors when everything is folded. */
  readonly events: number;
}

/**
 * Makes a database with a history in the indexer's table, compared with the chain, and nothing of it
 * settled: `release` lets settlement see it.
 */
export async function indexHistory(
  server: string,
  name: string,
  history: SaleHistory,
): Promise<Indexed> {
  await dropDatabase(server, name);
  const pool = openPool(await createDatabase(server, name), { max: 2 });
  try {
    await migrate(pool);
    await new IndexerTable(pool, SCHEMA).create();
    const setup = await copyFacts(pool, SCHEMA, setupFacts(history));
    const sales = await copyFacts(pool, SCHEMA, saleFacts(history));
    await pool`vacuum (analyze) ${pool(SCHEMA)}.chain_event`;
    return { name, history, events: setup + sales };
  } finally {
    await pool.end();
  }
}

/** Lets settlement see the facts up to a block: they are indexed, checked and final from now on. */
export async function release(pool: Pool, to: number): Promise<void> {
  const head = blockAt(to);
  const { number, hash, timestamp } = head;
  await new IndexerTable(pool, SCHEMA).setHead(head, head);
  await pool`
    insert into ledger.checked_head
      (indexer_schema, number, hash, timestamp, final_number, final_timestamp, behind_known)
    values (${SCHEMA}, ${number}, ${hash}, ${timestamp}, ${number}, ${timestamp}, false)
    on conflict (indexer_schema) do update set number = excluded.number, hash = excluded.hash,
      timestamp = excluded.timestamp, final_number = excluded.final_number,
      final_timestamp = excluded.final_timestamp, behind_known = false`;
  await setIndexerSchema(pool, SCHEMA);
  await pool`select pg_notify('tributary_settled', '')`;
}

/**
 * Lets settlement see the facts of the next blocks, as a tick records them that has compared them with the
 * chain: only their campaigns have something to settle.
 */
export async function releaseNext(pool: Pool, after: number, to: number): Promise<void> {
  const head = blockAt(to);
  const { number, hash, timestamp } = head;
  await pool.begin(async (sql) => {
    await new IndexerTable(sql, SCHEMA).setHead(head, head);
    await sql`
      insert into ledger.behind (indexer_schema, campaign_id)
      select distinct ${SCHEMA}, campaign_id::bigint from ${sql(SCHEMA)}.chain_event
      where block_number > ${after} and block_number <= ${to}`;
    await sql`
      update ledger.checked_head set number = ${number}, hash = ${hash}, timestamp = ${timestamp},
        final_number = ${number}, final_timestamp = ${timestamp}
      where indexer_schema = ${SCHEMA}`;
  });
  await pool`select pg_notify('bench_indexer', '')`;
}

/** Copies a database that has no connections. */
export async function cloneDatabase(server: string, from: string, name: string): Promise<string> {
  await dropDatabase(server, name);
  const pool = openPool(server, { max: 1 });
  try {
    await pool`create database ${pool(name)} template ${pool(from)} strategy file_copy`;
    // What the copy left to be written is not part of what is timed.
    await pool`checkpoint`;
  } finally {
    await pool.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Waits until all events up to a block are folded. */
export async function untilFolded(pool: Pool, events: number): Promise<void> {
  const deadline = performance.now() + 1_800_000;
  for (;;) {
    const [row] = await pool<{ folded: string; stopped: string | null }[]>`
      select coalesce(sum(seq), 0) as folded, min(stopped_reason) as stopped from ledger.cursor`;
    if (row?.stopped) throw new Error(`a campaign stopped: ${row.stopped}`);
    if (Number(row?.folded) >= events) return;
    if (performance.now() > deadline) throw new Error('settlement does not come to its end');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The last block of a history. */
export function endOf({ history }: Indexed): number {
  return lastBlock(history);
}
