import { discoveryRank } from '../../core/discovery.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import type { Pool, Sql } from '../connection.ts';
import { allTotals, type DistributorTotals } from '../read/distributors/totals.ts';
import { type ReadHead, readLedger } from '../read/snapshot.ts';
import { MIN_RANKED_PLACE } from '../rows/commerce.ts';

/** For a ledger with very many accounts, or one that is far ahead of its settled block. */
const STATEMENT_TIMEOUT_MS = 300_000;
const ROWS_AT_ONCE = 5_000;

/**
 * Computes the order `discovery-v1` again, as of the settled block, from the ledger alone. Readers see the
 * previous one until it is done. One at a time over all processes: a caller that waited while another one
 * began and finished computes none. Holds two connections.
 * @throws {NotSettledError} if there is no settled block yet.
 */
export async function refreshRanking(pool: Pool): Promise<void> {
  await pool.begin(async (sql) => {
    await allowTime(sql);
    await sql`select pg_advisory_xact_lock(${advisoryLocks.ranking})`;
    const start = performance.now();
    if (await wasMadeMeanwhile(sql)) return;
    // By another connection: a snapshot of this one may be older than the lock.
    const { head, totals } = await readLedger(pool, async (snapshot) => {
      await allowTime(snapshot.sql);
      return { head: snapshot.head, totals: await allTotals(snapshot) };
    });
    await sql`
      create temporary table made (like commerce.distributor_ranking) on commit drop`;
    for (let from = 0; from < totals.length; from += ROWS_AT_ONCE) {
      const rows = totals.slice(from, from + ROWS_AT_ONCE).map((one) => rowOf(one, head));
      await sql`
        insert into made select * from jsonb_to_recordset(${sql.json(rows)}) as row (
          address text, place bigint, settled bigint, direct bigint, refunded bigint,
          reversed bigint, pending bigint, merchants bigint, categories text[],
          last_settled_at bigint, links bigint, first_link_at bigint)`;
    }
    await replaceRanking(sql);
    await writeState(sql, head, Math.round(performance.now() - start));
  });
}

/** Whether another began to make one after this transaction began, and is done. */
async function wasMadeMeanwhile(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select 1 from commerce.distributor_ranking_state
    where computed_at - duration_ms * interval '1 millisecond' > now()`;
  return rows.length > 0;
}

/** Within the transaction. */
async function allowTime(sql: Sql): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`;
}

/** Changes what differs, so that a quiet ledger costs no writes. */
async function replaceRanking(sql: Sql): Promise<void> {
  await sql`
    delete from commerce.distributor_ranking old
    where not exists (select 1 from made where made.address = old.address)`;
  await sql`
    insert into commerce.distributor_ranking as old select * from made
    on conflict (address) do update set
      place = excluded.place, settled = excluded.settled, direct = excluded.direct,
      refunded = excluded.refunded, reversed = excluded.reversed, pending = excluded.pending,
      merchants = excluded.merchants, categories = excluded.categories,
      last_settled_at = excluded.last_settled_at, links = excluded.links,
      first_link_at = excluded.first_link_at
    where row (old.*) is distinct from row (excluded.*)`;
}

async function writeState(sql: Sql, head: ReadHead, durationMs: number): Promise<void> {
  await sql`
    insert into commerce.distributor_ranking_state as state
      (block_number, block_hash, block_timestamp, computed_at, duration_ms)
    values (${head.number}, ${head.hash}, ${head.timestamp}, clock_timestamp(), ${durationMs})
    on conflict (singleton) do update set
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_timestamp = excluded.block_timestamp, computed_at = excluded.computed_at,
      duration_ms = excluded.duration_ms`;
}

/** The ranked by score, above all the new, who go by when they first joined. */
function rowOf(totals: DistributorTotals, head: ReadHead) {
  const { score, slot } = discoveryRank(totals, head.timestamp);
  return {
    address: totals.address,
    place: slot === 'ranked' ? MIN_RANKED_PLACE + score : totals.firstLinkAt,
    settled: totals.settledConversions,
    direct: totals.directSales,
    refunded: totals.refundedSales,
    reversed: totals.reversedSales,
    pending: totals.pendingSales,
    merchants: totals.merchantCount,
    categories: [...totals.categories],
    last_settled_at: totals.lastSettledAt,
    links: totals.linkCount,
    first_link_at: totals.firstLinkAt,
  };
}
