import type { Sql } from './connection.ts';
import { type LeaderToken, stillLeads } from './leadership.ts';
import {
  flag,
  hex,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  seconds,
  text,
  type View,
} from './row.ts';

/** Settled block: columns of `ledger.head`. */
export const settledBlock = rowCodec({
  number: integer.from('settled_number'),
  hash: hex.from('settled_hash'),
  /** Unix seconds. */
  timestamp: seconds.from('settled_timestamp'),
});

/** A block that everything at or below it was folded up to. */
export type SettledBlock = View<typeof settledBlock>;

/** Heads that are columns of `ledger.head`. */
const stored = rowCodec({
  indexerSchema: text,
  indexerReady: flag,
  chainNumber: nullable(integer),
  /** Unix seconds of the chain's head. */
  chainTimestamp: nullable(seconds),
  indexedNumber: nullable(integer),
  settled: optional(settledBlock.fields),
  safeNumber: nullable(integer),
  /** Highest block at or below the settled one that is final; both were seen on one chain. */
  finalizedNumber: nullable(integer),
  /** Hash of that block. */
  finalizedHash: nullable(hex),
  /** True if the chain no longer has that block: then nothing is finalized. */
  finalizedReplaced: flag,
  /**
   * How often they were written: shows whether another tick came in between. A time would not, because clocks are set
   * back. A migration of the next release renames the column, which processes of 0.1 use while they still run.
   */
  writes: integer.from('looks'),
});

/** Row codec of `Heads`, for the columns of `headColumns`. */
export const headsRow = rowCodec({
  ...stored.fields,
  /** True if the chain has returned a finalized block once: it has the tag from then on. */
  finalizedTagSeen: flag,
  /** True from before the first rollback of a reorg until all campaigns are on one fork again. */
  rollingBack: flag,
});

/** The heads that the feeder maintains, so that reads need neither the chain nor the indexer. */
export type Heads = View<typeof headsRow>;

/** Columns of `headsRow`, of `ledger.head`. By their names: a later release may add one while this one runs. */
export function headColumns(sql: Sql) {
  return sql`${stored.columns(sql, 'head')}, head.rolling_back_since is not null as rolling_back,
    exists (select from ledger.finality_tag) as finalized_tag_seen`;
}

/** Heads as a tick has found them. */
export type NextHeads = Omit<
  Heads,
  | 'indexerSchema'
  | 'rollingBack'
  | 'writes'
  | 'finalizedHash'
  | 'finalizedReplaced'
  | 'finalizedTagSeen'
> &
  Partial<Pick<Heads, 'finalizedHash' | 'finalizedReplaced' | 'finalizedTagSeen'>> & {
    /** True to end `rollingBack`, unless a campaign was rolled back since the tick began. */
    readonly onOneFork?: boolean;
  };

/**
 * Names the indexer's schema that settlement reads. The heads of another schema are forgotten.
 * @param generation of the schema; where the ledger is at another one by now, nothing changes.
 */
export async function setIndexerSchema(sql: Sql, schema: string, generation = 0): Promise<void> {
  await sql`
    insert into ledger.head (indexer_schema) values (${schema})
    on conflict (singleton) do update
    set indexer_schema = excluded.indexer_schema, indexer_ready = false, updated_at = now()
    where ledger.head.indexer_schema <> excluded.indexer_schema
      and ledger.head.indexer_generation = ${generation}`;
}

/** @returns `undefined` before the first start. */
export async function readHeads(sql: Sql): Promise<Heads | undefined> {
  const [row] = await sql<StoredRow[]>`select ${headColumns(sql)} from ledger.head`;
  return row && headsRow.decode(row);
}

/**
 * Writes the heads, and locks them until the transaction ends.
 * @param writes of the heads that the tick began with; without it they are always written.
 * @param leader the worker that ran the tick, if it was one.
 * @returns false if another tick wrote the heads since, or another worker leads: then nothing changes.
 */
export async function writeHeads(
  sql: Sql,
  heads: NextHeads,
  writes?: number,
  leader?: LeaderToken,
): Promise<boolean> {
  const settledNumber = heads.settled?.number ?? null;
  const onOneFork = heads.onOneFork ?? false;
  // Waits for rollbacks that hold the mark (`holdRollbackMark`), so that the next statement sees them.
  if (onOneFork) await sql`select 1 from ledger.head for update`;
  const written = await sql`
    with tag as (
      insert into ledger.finality_tag (singleton) select true where ${heads.finalizedTagSeen ?? false}
      on conflict do nothing)
    update ledger.head set
      indexer_ready = ${heads.indexerReady},
      chain_number = ${heads.chainNumber},
      chain_timestamp = ${heads.chainTimestamp},
      indexed_number = ${heads.indexedNumber},
      settled_number = ${settledNumber},
      settled_hash = ${heads.settled?.hash ?? null},
      settled_timestamp = ${heads.settled?.timestamp ?? null},
      safe_number = ${heads.safeNumber},
      finalized_number = ${heads.finalizedNumber},
      finalized_hash = ${heads.finalizedHash ?? null},
      finalized_replaced = ${heads.finalizedReplaced ?? false},
      rolling_back_since = case
        when ${onOneFork} and not exists (select 1 from ledger.stale_publication) then null
        else rolling_back_since end,
      indexed_behind_since = ${behindSince(sql, 'indexed', heads.indexedNumber, heads.chainNumber)},
      settled_behind_since = ${behindSince(sql, 'settled', settledNumber, heads.indexedNumber)},
      looks = looks + 1,
      updated_at = now()
    where ${writes === undefined ? sql`true` : sql`looks = ${writes}`} and ${stillLeads(sql, leader)}
    returning 1`;
  return written.length > 0;
}

/**
 * Marks the heads before the first rollback of a reorg. Until the feeder ends it, answers over several
 * campaigns may mix two forks, and say so (docs/how-it-works/settlement.md, "Reorgs").
 */
export async function markRollback(sql: Sql): Promise<void> {
  await sql`
    update ledger.head set rolling_back_since = clock_timestamp()
    where rolling_back_since is null`;
}

/**
 * Keeps the mark of a rollback until the transaction ends. Readers and other rollbacks do not wait.
 * @returns whether the heads are marked.
 */
export async function holdRollbackMark(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select 1 from ledger.head where rolling_back_since is not null for share`;
  return rows.length > 0;
}

/** Records that the chain no longer has the finalized block: nothing is finalized until it has one. */
export async function markFinalizedReplaced(sql: Sql): Promise<void> {
  await sql`update ledger.head set finalized_replaced = true where not finalized_replaced`;
}

/** Time since which a head is behind another: its last move, or when it fell behind. */
function behindSince(
  sql: Sql,
  head: 'indexed' | 'settled',
  number: number | null,
  front: number | null,
) {
  if (front === null || (number ?? -1) >= front) return sql`null`;
  const since = sql(`${head}_behind_since`);
  return sql`
    case when ${sql(`${head}_number`)} is distinct from ${number}::bigint then now()
      else coalesce(${since}, now()) end`;
}

/** A campaign whose clock is to be moved. */
export interface DueCampaign {
  readonly campaignId: string;
  /** Its clock, unix seconds. */
  readonly clock: number;
}

/**
 * Campaigns whose clock has something due at a time: a hold that ended, a policy that took effect,
 * or, after a reorg lowered the clock, something to undo.
 * @param clock timestamp of the settled block, unix seconds.
 */
export async function campaignsDue(sql: Sql, clock: number): Promise<readonly DueCampaign[]> {
  const rows = await sql<{ campaign_id: string; clock: string }[]>`
    select campaign_id, clock from ledger.cursor
    where clock_next <= ${clock} and stopped_at is null
    union
    select campaign_id, clock from ledger.cursor where clock > ${clock} and stopped_at is null`;
  return rows.map((row) => ({ campaignId: row.campaign_id, clock: Number(row.clock) }));
}
