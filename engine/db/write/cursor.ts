import { EMPTY_DIGEST } from '../../core/digest.ts';
import type { Fragment, Sql } from '../connection.ts';
import { toIntegerOrNull } from '../ids.ts';
import { planByIndex } from '../planner.ts';
import {
  as,
  flag,
  hex,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  type View,
} from '../row.ts';
import { positionRow } from '../rows/event.ts';
import { nextDue } from './clock.ts';
import { unnestSql } from './statements.ts';

const cursorRow = rowCodec({
  campaignId: id,
  /** Number of folded events; 0 before the first. */
  seq: integer,
  /** The last folded event; `null` before the first. */
  at: optional(positionRow.fields),
  digest: hex,
  /** Unix seconds up to which ended holds and policies are in the rows. */
  clock: seconds,
  /** Unix seconds at which the next hold ends or policy takes effect; `null` if there is none. */
  clockNext: nullable(seconds),
  /** Milliseconds for which the fact at the cursor has been missing; `null` if it is there. */
  missingMs: nullable(as<number>()),
  /** Batches that failed because of the campaign's own data, since the last that succeeded. */
  failures: small,
  /** True if the campaign is stopped. */
  stopped: flag,
});

/** How far a campaign is folded. */
export type Cursor = View<typeof cursorRow>;

/**
 * Locks campaigns for a batch. A campaign's first batch creates its row. Campaigns locked by another worker are
 * skipped; that worker will process the new facts. The rest of the transaction finds rows by indexes
 * (`planByIndex`).
 */
export async function lockCursors(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<readonly Cursor[]> {
  const free = await lockRows(sql, campaignIds, sql`skip locked`);
  const found = new Set(free.map(({ campaignId }) => campaignId));
  const missing = campaignIds.filter((campaignId) => !found.has(campaignId));
  if (missing.length === 0) return free;
  await addCursors(sql, missing);
  return [...free, ...(await lockRows(sql, missing, sql`skip locked`))];
}

/** Locks a campaign that has a cursor; waits until no other worker holds it. */
export async function waitForCursor(sql: Sql, campaignId: string): Promise<Cursor | undefined> {
  const [cursor] = await lockRows(sql, [campaignId], sql``);
  return cursor;
}

async function lockRows(
  sql: Sql,
  campaignIds: readonly string[],
  how: Fragment,
): Promise<readonly Cursor[]> {
  const rows = await sql<StoredRow[]>`
    select campaign_id, seq, block_number, log_index, block_hash, digest, clock, clock_next,
      (extract(epoch from clock_timestamp() - missing_since) * 1000)::float8 as missing_ms, failures,
      stopped_at is not null as stopped, ${planByIndex(sql)}
    from ledger.cursor where campaign_id = any(${[...campaignIds]}::bigint[])
    for update ${how}`;
  return rows.map(cursorRow.decode);
}

/** Inserts in the order of ids, so that two workers that add the same campaigns cannot deadlock. */
async function addCursors(sql: Sql, campaignIds: readonly string[]): Promise<void> {
  await sql`
    insert into ledger.cursor (campaign_id, digest)
    select campaign_id, ${EMPTY_DIGEST} from unnest(${[...campaignIds]}::bigint[]) as c (campaign_id)
    order by campaign_id
    on conflict do nothing`;
}

const cursorMoveRow = rowCodec({
  campaignId: id,
  seq: integer,
  at: optional(positionRow.fields),
  digest: hex,
});

/** The event that a campaign's cursor is moved to. */
export type CursorMove = View<typeof cursorMoveRow>;

/**
 * Moves locked cursors to the last folded event, or back to the last event that is still valid, after the
 * rows of that event are written.
 * @param also a statement that changes other rows, to run as one with it.
 * @returns the time when each campaign's clock has something due next, unix seconds, by campaign.
 */
export async function moveCursors(
  sql: Sql,
  moves: readonly CursorMove[],
  also?: Fragment,
): Promise<ReadonlyMap<string, number | null>> {
  const ids = moves.map(({ campaignId }) => campaignId);
  const rows = await sql<{ campaign_id: string; clock_next: string | null }[]>`
    ${also === undefined ? sql`` : sql`with also as (${also})`}
    update ledger.cursor c set
      seq = moved.seq,
      block_number = moved.block_number,
      log_index = moved.log_index,
      block_hash = moved.block_hash,
      digest = moved.digest,
      clock_next = ${nextDue(sql)},
      missing_since = null
    from ${unnestSql(sql, 'moved', cursorMoveRow.types, moves.map(cursorMoveRow.encode))}
    where c.campaign_id = any(${ids}::bigint[]) and c.campaign_id = moved.campaign_id
    returning c.campaign_id, c.clock_next`.execute();
  return new Map(rows.map((row) => [row.campaign_id, toIntegerOrNull(row.clock_next)]));
}

/** Records that the fact at the cursor is missing from the indexer, or that it is there again. */
export async function markMissing(sql: Sql, campaignId: string, missing: boolean): Promise<void> {
  await sql`
    update ledger.cursor
    set missing_since = ${missing ? sql`coalesce(missing_since, clock_timestamp())` : null}
    where campaign_id = ${campaignId}`;
}

/**
 * Starts a stopped campaign, which an operator's replay has folded again. Facts that arrived while it was
 * stopped are looked for in the schema that settlement reads.
 */
export async function startCampaign(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    update ledger.cursor set ${runningColumns(sql)} where campaign_id = ${campaignId}`;
  await noteBehind(sql, campaignId);
}

/** Assignments to `ledger.cursor` for a campaign that runs and whose batches have not failed. */
export function runningColumns(sql: Sql): Fragment {
  return sql`stopped_at = null, stopped_reason = null, stopped_checked = null, ${noFailures(sql)}`;
}

function noFailures(sql: Sql): Fragment {
  return sql`failures = 0, failing_since = null, failure = null`;
}

/**
 * Records that a campaign may have facts to fold in blocks that were checked already, so that the feeder asks
 * about it (`ledger.behind`).
 */
export async function noteBehind(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    insert into ledger.behind (indexer_schema, campaign_id)
    select indexer_schema, ${campaignId}::bigint from ledger.checked_head`;
}

/** Stops a campaign, with a reason. Only an operator's replay starts it again. */
export async function stopCampaign(sql: Sql, campaignId: string, reason: string): Promise<void> {
  await stop(sql, campaignId, reason, sql`null::bigint`);
}

/**
 * Stops a campaign because of its own data. A reorg of blocks that were checked by now starts it again, because
 * the data may be of a block that the chain replaced.
 */
export async function stopForData(sql: Sql, campaignId: string, reason: string): Promise<void> {
  const checked = sql`(
    select c.number from ledger.checked_head c join ledger.head h using (indexer_schema)
  )`;
  await stop(sql, campaignId, reason, checked);
}

/** One statement, so that a crash never leaves a campaign stopped without the block that starts it again. */
async function stop(
  sql: Sql,
  campaignId: string,
  reason: string,
  checked: Fragment,
): Promise<void> {
  // If it was the campaign's first batch, its rollback has removed the campaign's row.
  await sql`
    insert into ledger.cursor (campaign_id, digest, stopped_at, stopped_reason, stopped_checked)
    values (${campaignId}, ${EMPTY_DIGEST}, now(), ${reason}, ${checked})
    on conflict (campaign_id) do update
    set stopped_at = excluded.stopped_at, stopped_reason = excluded.stopped_reason,
      stopped_checked = excluded.stopped_checked`;
}

/** Number of failed batches of a campaign, and whether other campaigns were settled since the first. */
export interface FailureCount {
  readonly failures: number;
  readonly othersSettled: boolean;
}

/**
 * Counts a failed batch of a campaign, after its transaction was rolled back. The count is in the database,
 * so that several workers share it and a restart keeps it.
 * @param reason one line that PostgreSQL can store.
 */
export async function countFailure(
  sql: Sql,
  campaignId: string,
  reason: string,
): Promise<FailureCount> {
  const [row] = await sql<{ failures: number; others: boolean }[]>`
    with counted as (
      insert into ledger.cursor as c (campaign_id, digest, failures, failing_since, failure)
      values (${campaignId}, ${EMPTY_DIGEST}, 1, clock_timestamp(), ${reason})
      on conflict (campaign_id) do update set failures = c.failures + 1,
        failing_since = coalesce(c.failing_since, excluded.failing_since), failure = excluded.failure
      returning c.failures, c.failing_since
    )
    select failures, exists (
      select 1 from ledger.campaign other
      where other.campaign_id <> ${campaignId} and other.indexed_at > counted.failing_since
    ) as others
    from counted`;
  return { failures: row?.failures ?? 0, othersSettled: row?.others ?? false };
}

/** Clears the failures of campaigns whose batch succeeded. */
export async function clearFailures(sql: Sql, campaignIds: readonly string[]): Promise<void> {
  await sql`
    update ledger.cursor set ${noFailures(sql)}
    where campaign_id = any(${[...campaignIds]}::bigint[])`;
}
