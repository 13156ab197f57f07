import { EMPTY_DIGEST } from '../../core/digest.ts';
import type { Hex } from '../../core/events.ts';
import type { Fragment, Sql } from '../connection.ts';
import type { FactRef } from '../facts.ts';
import { nextDue } from './clock.ts';

/** How far a campaign was folded. */
export interface Cursor {
  readonly campaignId: string;
  /** Events folded; 0 before the first. */
  readonly seq: number;
  /** The last event folded. */
  readonly at: FactRef | null;
  readonly digest: Hex;
  /** Unix seconds up to which ended holds and policies are in the rows. */
  readonly clock: number;
  /** Unix seconds at which the next is due. */
  readonly clockNext: number | null;
  /** Milliseconds since when the fact at the cursor is missing; `null` where it is there. */
  readonly missingMs: number | null;
  /** Batches that failed because of the campaign's own data, since the last that succeeded. */
  readonly failures: number;
  readonly stopped: boolean;
}

interface CursorRow {
  campaign_id: string;
  seq: string;
  event_id: string | null;
  block_number: string | null;
  block_hash: Hex | null;
  digest: Hex;
  clock: string;
  clock_next: string | null;
  missing_ms: number | null;
  failures: number;
  stopped: boolean;
}

/**
 * Locks campaigns for a batch, those that no other worker has; a campaign's first look makes its row.
 * A worker that has one will see what this one came for. What the transaction then asks goes by
 * indexes, and by one plan whatever it names: a plan that was made while the ledger was new and small is
 * kept for a while, and would read whole tables long after they have grown; and of a list of one the
 * planner expects less than of any list, so that it would plan such a statement anew each time.
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

/** Locks a campaign that has a cursor, and waits for a worker that has it. */
export async function waitForCursor(sql: Sql, campaignId: string): Promise<Cursor | undefined> {
  const [cursor] = await lockRows(sql, [campaignId], sql``);
  return cursor;
}

async function lockRows(
  sql: Sql,
  campaignIds: readonly string[],
  how: Fragment,
): Promise<readonly Cursor[]> {
  const rows = await sql<CursorRow[]>`
    select campaign_id, seq, event_id, block_number, block_hash, digest, clock, clock_next,
      (extract(epoch from clock_timestamp() - missing_since) * 1000)::float8 as missing_ms, failures,
      stopped_at is not null as stopped, set_config('enable_seqscan', 'off', true),
      set_config('plan_cache_mode', 'force_generic_plan', true)
    from ledger.cursor where campaign_id = any(${[...campaignIds]}::bigint[])
    for update ${how}`;
  return rows.map(cursorOf);
}

function cursorOf(row: CursorRow): Cursor {
  const { event_id: eventId, block_number: blockNumber, block_hash: blockHash } = row;
  const at =
    eventId === null || blockNumber === null || blockHash === null
      ? null
      : { eventId, blockNumber: Number(blockNumber), blockHash };
  return {
    campaignId: row.campaign_id,
    seq: Number(row.seq),
    at,
    digest: row.digest,
    clock: Number(row.clock),
    clockNext: row.clock_next === null ? null : Number(row.clock_next),
    missingMs: row.missing_ms,
    failures: row.failures,
    stopped: row.stopped,
  };
}

/** In one order, so that two workers that add the same campaigns wait for each other in one direction. */
async function addCursors(sql: Sql, campaignIds: readonly string[]): Promise<void> {
  await sql`
    insert into ledger.cursor (campaign_id, digest)
    select campaign_id, ${EMPTY_DIGEST} from unnest(${[...campaignIds]}::bigint[]) as c (campaign_id)
    order by campaign_id
    on conflict do nothing`;
}

/** Where a campaign's cursor is moved to. */
export type CursorPlace = Pick<Cursor, 'campaignId' | 'seq' | 'at' | 'digest'>;

/**
 * Moves locked cursors to the last event folded, or back to the last in common, once the rows of
 * that event are written.
 * @returns when each campaign's clock has something due next, unix seconds, by campaign.
 */
export async function moveCursors(
  sql: Sql,
  places: readonly CursorPlace[],
): Promise<ReadonlyMap<string, number | null>> {
  const ids = places.map(({ campaignId }) => campaignId);
  const rows = await sql<{ campaign_id: string; clock_next: string | null }[]>`
    update ledger.cursor c set
      seq = place.seq,
      event_id = place.event_id,
      block_number = place.block_number,
      block_hash = place.block_hash,
      digest = place.digest,
      clock_next = ${nextDue(sql)},
      missing_since = null
    from unnest(
      ${ids}::bigint[], ${places.map(({ seq }) => seq)}::bigint[],
      ${places.map(({ at }) => at?.eventId ?? null)}::text[],
      ${places.map(({ at }) => at?.blockNumber ?? null)}::bigint[],
      ${places.map(({ at }) => at?.blockHash ?? null)}::text[],
      ${places.map(({ digest }) => digest)}::text[]
    ) as place (campaign_id, seq, event_id, block_number, block_hash, digest)
    where c.campaign_id = any(${ids}::bigint[]) and c.campaign_id = place.campaign_id
    returning c.campaign_id, c.clock_next`.execute();
  return new Map(
    rows.map((row) => [row.campaign_id, row.clock_next === null ? null : Number(row.clock_next)]),
  );
}

/** Notes that the fact at the cursor was not found, or that it is back. */
export async function markMissing(sql: Sql, campaignId: string, missing: boolean): Promise<void> {
  await sql`
    update ledger.cursor
    set missing_since = ${missing ? sql`coalesce(missing_since, clock_timestamp())` : null}
    where campaign_id = ${campaignId}`;
}

/**
 * Lets a stopped campaign go on: an operator's replay has folded it again. Facts that came meanwhile are
 * looked for in the schema that settlement reads.
 */
export async function startCampaign(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    update ledger.cursor set stopped_at = null, stopped_reason = null, stopped_checked = null,
      failures = 0, failing_since = null, failure = null
    where campaign_id = ${campaignId}`;
  await noteBehind(sql, campaignId);
}

/**
 * Notes that a campaign may have facts to fold that the check has passed already, so that the feeder asks
 * about it (`ledger.behind`).
 */
export async function noteBehind(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    insert into ledger.behind (indexer_schema, campaign_id)
    select indexer_schema, ${campaignId}::bigint from ledger.checked_head`;
}

/** Stops a campaign, which nothing but an operator's replay starts again, and says why. */
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
  // The batch that failed took the row back with it, where it was the campaign's first.
  await sql`
    insert into ledger.cursor (campaign_id, digest, stopped_at, stopped_reason, stopped_checked)
    values (${campaignId}, ${EMPTY_DIGEST}, now(), ${reason}, ${checked})
    on conflict (campaign_id) do update
    set stopped_at = excluded.stopped_at, stopped_reason = excluded.stopped_reason,
      stopped_checked = excluded.stopped_checked`;
}

/** How often a campaign's batches have failed, and whether others were settled since the first time. */
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

/** Forgets the failures of campaigns whose batch succeeded. */
export async function clearFailures(sql: Sql, campaignIds: readonly string[]): Promise<void> {
  await sql`
    update ledger.cursor set failures = 0, failing_since = null, failure = null
    where campaign_id = any(${[...campaignIds]}::bigint[])`;
}
