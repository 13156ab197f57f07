import { EMPTY_DIGEST } from '../../core/digest.ts';
import type { Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
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
  readonly stopped: boolean;
}

interface CursorRow {
  seq: string;
  event_id: string | null;
  block_number: string | null;
  block_hash: Hex | null;
  digest: Hex;
  clock: string;
  clock_next: string | null;
  missing_ms: number | null;
  stopped: boolean;
}

/**
 * Locks a campaign for a batch; its first look makes the row. What the transaction then asks goes by
 * indexes: a plan that was made while the ledger was new and small is kept for a while, and would read
 * whole tables long after they have grown.
 * @param options `wait` waits for a worker that has it.
 * @returns `undefined` where another worker has it: that worker will see what this one came for.
 */
export async function lockCursor(
  sql: Sql,
  campaignId: string,
  options: { readonly wait?: boolean } = {},
): Promise<Cursor | undefined> {
  const lock = async () => {
    const [locked] = await sql<CursorRow[]>`
      select seq, event_id, block_number, block_hash, digest, clock, clock_next,
        (extract(epoch from clock_timestamp() - missing_since) * 1000)::float8 as missing_ms,
        stopped_at is not null as stopped, set_config('enable_seqscan', 'off', true)
      from ledger.cursor where campaign_id = ${campaignId}
      for update ${options.wait === true ? sql`` : sql`skip locked`}`;
    return locked;
  };
  const row = (await lock()) ?? (await addCursor(sql, campaignId).then(lock));
  if (row === undefined) return undefined;
  const { event_id: eventId, block_number: blockNumber, block_hash: blockHash } = row;
  const at =
    eventId === null || blockNumber === null || blockHash === null
      ? null
      : { eventId, blockNumber: Number(blockNumber), blockHash };
  return {
    campaignId,
    seq: Number(row.seq),
    at,
    digest: row.digest,
    clock: Number(row.clock),
    clockNext: row.clock_next === null ? null : Number(row.clock_next),
    missingMs: row.missing_ms,
    stopped: row.stopped,
  };
}

/** Where a cursor is moved to. */
export type CursorPlace = Pick<Cursor, 'seq' | 'at' | 'digest'>;

async function addCursor(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    insert into ledger.cursor (campaign_id, digest) values (${campaignId}, ${EMPTY_DIGEST})
    on conflict do nothing`;
}

/**
 * Moves a locked cursor to the last event folded, or back to the last in common, once the rows of
 * that event are written.
 * @returns when the campaign's clock has something due next, unix seconds.
 */
export async function moveCursor(
  sql: Sql,
  campaignId: string,
  to: CursorPlace,
): Promise<number | null> {
  const [row] = await sql<{ clock_next: string | null }[]>`
    update ledger.cursor c set
      seq = ${to.seq},
      event_id = ${to.at?.eventId ?? null},
      block_number = ${to.at?.blockNumber ?? null},
      block_hash = ${to.at?.blockHash ?? null},
      digest = ${to.digest},
      clock_next = ${nextDue(sql, campaignId)},
      missing_since = null
    where campaign_id = ${campaignId}
    returning clock_next`.execute();
  return row?.clock_next == null ? null : Number(row.clock_next);
}

/** Notes that the fact at the cursor was not found, or that it is back. */
export async function markMissing(sql: Sql, campaignId: string, missing: boolean): Promise<void> {
  await sql`
    update ledger.cursor
    set missing_since = ${missing ? sql`coalesce(missing_since, clock_timestamp())` : null}
    where campaign_id = ${campaignId}`;
}

/** Lets a stopped campaign go on: an operator's replay has folded it anew. */
export async function startCampaign(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    update ledger.cursor set stopped_at = null, stopped_reason = null
    where campaign_id = ${campaignId}`;
}

/** Stops a campaign, which nothing but an operator's replay starts again, and says why. */
export async function stopCampaign(sql: Sql, campaignId: string, reason: string): Promise<void> {
  // The batch that failed took the row back with it, where it was the campaign's first.
  await sql`
    insert into ledger.cursor (campaign_id, digest, stopped_at, stopped_reason)
    values (${campaignId}, ${EMPTY_DIGEST}, now(), ${reason})
    on conflict (campaign_id) do update
    set stopped_at = excluded.stopped_at, stopped_reason = excluded.stopped_reason`;
}
