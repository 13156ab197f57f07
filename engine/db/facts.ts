/**
 * The one reader of the indexer's tables (design §1): its `chain_event`, `_ponder_meta` and
 * `_ponder_checkpoint`, not its views, which come and go. Each function is one statement, so that
 * what it answers was true at one moment.
 */

import { EVENT_ID_DIGITS, parseEventId } from '../core/event-id.ts';
import { type Fact, type Hex, readEvent } from '../core/events.ts';
import type { Sql } from './connection.ts';

/** Where the indexer stands. */
export interface IndexerHead {
  /** Its first backfill is done, and it is not recovering from a crash. */
  readonly ready: boolean;
  /** Highest block whose events are all in the table; `null` before the first. */
  readonly blockNumber: number | null;
  /** Unix seconds of that block. */
  readonly timestamp: number | null;
  /** Its own finalized block, below which it cannot take rows back. */
  readonly finalizedNumber: number | null;
}

/** The last event that a campaign's ledger holds. */
export interface FactRef {
  readonly eventId: string;
  readonly blockNumber: number;
  readonly blockHash: Hex;
}

interface HeadRow {
  ready: boolean;
  latest: string | null;
  finalized: string | null;
}

interface FactRow {
  campaign_id: string;
  id: string;
  block_number: string;
  block_hash: Hex;
  block_timestamp: string;
  transaction_hash: Hex;
  log_index: number;
  name: string;
  args: unknown;
}

/** A checkpoint ends in nines where it stands for a whole block, and else inside of one. */
const WHOLE_BLOCK = /9{16}[0-9]9{16}$/;

function headOf(row: HeadRow): IndexerHead {
  if (row.latest === null) {
    return { ready: row.ready, blockNumber: null, timestamp: null, finalizedNumber: null };
  }
  const latest = parseEventId(row.latest);
  const whole = WHOLE_BLOCK.test(row.latest);
  return {
    ready: row.ready,
    blockNumber: whole ? latest.blockNumber : Math.max(0, latest.blockNumber - 1),
    timestamp: whole ? latest.timestamp : null,
    finalizedNumber: row.finalized === null ? null : parseEventId(row.finalized).blockNumber,
  };
}

/** The tables are the indexer's, in a schema named after its build and chain. */
function headQuery(sql: Sql, schema: string) {
  return sql`
    select
      coalesce((
        select (value ->> 'is_ready')::int = 1 from ${sql(schema)}._ponder_meta where key = 'app'
      ), false) as ready,
      (select latest_checkpoint from ${sql(schema)}._ponder_checkpoint limit 1) as latest,
      (select finalized_checkpoint from ${sql(schema)}._ponder_checkpoint limit 1) as finalized`;
}

/** Whether the indexer has made its tables yet. */
export async function indexerTablesExist(sql: Sql, schema: string): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`
    select to_regclass(${`"${schema}".chain_event`}) is not null
      and to_regclass(${`"${schema}"._ponder_checkpoint`}) is not null
      and to_regclass(${`"${schema}"._ponder_meta`}) is not null as exists`;
  return row?.exists === true;
}

/** What a campaign's next batch is folded from. */
export interface FactBatch {
  readonly indexer: IndexerHead;
  /** Whether the fact at the cursor is there, id and block hash. Without it `facts` is empty. */
  readonly cursorPresent: boolean;
  /** The facts after the cursor, oldest first, `limit` at most. */
  readonly facts: readonly Fact[];
}

/**
 * Reads, in one statement, the fact at the cursor, the indexer's readiness and the facts after the
 * cursor (design §5, Reorgs). Without that very fact no facts are answered.
 * @param cursor `null` before the campaign's first event.
 */
export async function readFacts(
  sql: Sql,
  schema: string,
  campaignId: string,
  cursor: FactRef | null,
  limit: number,
): Promise<FactBatch> {
  const after = cursor?.eventId ?? '0'.repeat(EVENT_ID_DIGITS);
  const rows = await sql<(HeadRow & { present: boolean } & (FactRow | { id: null }))[]>`
    with head as (${headQuery(sql, schema)}),
    anchor as (
      select ${cursor === null} or exists (
        select 1 from ${sql(schema)}.chain_event
        where campaign_id = ${campaignId} and id = ${after}
          and block_hash = ${cursor?.blockHash ?? ''}
      ) as present
    )
    select head.*, anchor.present, fact.*
    from head cross join anchor
    left join lateral (
      select campaign_id, id, block_number, block_hash, block_timestamp, transaction_hash,
        log_index, name, args
      from ${sql(schema)}.chain_event
      where anchor.present and campaign_id = ${campaignId} and id > ${after}
      order by id
      limit ${limit}
    ) fact on true
    order by fact.id`;
  const [first] = rows;
  if (first === undefined) throw new Error('the indexer head query answered no row');
  const facts = rows.flatMap((row) => (row.id === null ? [] : [factOf(row)]));
  return { indexer: headOf(first), cursorPresent: first.present, facts };
}

function factOf(row: FactRow): Fact {
  return {
    campaignId: row.campaign_id,
    id: row.id,
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash,
    timestamp: Number(row.block_timestamp),
    transactionHash: row.transaction_hash,
    logIndex: row.log_index,
    ...readEvent(row.name, row.args),
  };
}

/** The newest event of a campaign that both its ledger and the indexer's table hold. */
export interface CommonEvent extends FactRef {
  readonly seq: number;
  readonly digest: Hex;
}

/** @returns `undefined` where the two have no event in common. */
export async function lastCommonEvent(
  sql: Sql,
  schema: string,
  campaignId: string,
): Promise<CommonEvent | undefined> {
  const [row] = await sql<
    { seq: string; event_id: string; block_number: string; block_hash: Hex; digest: Hex }[]
  >`
    select j.seq, j.event_id, j.block_number, j.block_hash, j.digest
    from ledger.journal j
    where j.campaign_id = ${campaignId} and exists (
      select 1 from ${sql(schema)}.chain_event f
      where f.campaign_id = ${campaignId}::numeric and f.id = j.event_id
        and f.block_hash = j.block_hash
    )
    order by j.seq desc
    limit 1`;
  if (row === undefined) return undefined;
  return {
    seq: Number(row.seq),
    eventId: row.event_id,
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash,
    digest: row.digest,
  };
}

/** A campaign that settlement should look at, and where. */
export interface Backlog {
  readonly campaignId: string;
  /** Its cursor's fact is not in the table, by id and block hash. */
  readonly cursorMissing: boolean;
  /** Block of its oldest unfolded fact; `null` where there is none. */
  readonly firstBlock: number | null;
}

/**
 * Compares every cursor with the facts: levels, not edges, so that a reorg that only takes away is
 * seen too. Campaigns without a cursor are found by skipping along the primary key. Two index
 * probes a campaign, one statement.
 */
export async function readBacklog(
  sql: Sql,
  schema: string,
): Promise<{ readonly indexer: IndexerHead; readonly backlog: readonly Backlog[] }> {
  const rows = await sql<
    (HeadRow & { campaign_id: string | null; missing: boolean; first_block: string | null })[]
  >`
    with recursive head as (${headQuery(sql, schema)}),
    known as (
      (select campaign_id from ${sql(schema)}.chain_event order by campaign_id limit 1)
      union all
      select (
        select f.campaign_id from ${sql(schema)}.chain_event f
        where f.campaign_id > known.campaign_id order by f.campaign_id limit 1
      )
      from known where known.campaign_id is not null
    ),
    campaign as (
      select campaign_id::numeric as campaign_id, event_id, block_hash from ledger.cursor
      where stopped_at is null
      union all
      select k.campaign_id, null, null from known k
      where k.campaign_id is not null
        and not exists (select 1 from ledger.cursor c where c.campaign_id = k.campaign_id)
    ),
    looked as (
      select c.campaign_id,
        c.event_id is not null and not exists (
          select 1 from ${sql(schema)}.chain_event f
          where f.campaign_id = c.campaign_id and f.id = c.event_id
            and f.block_hash = c.block_hash
        ) as missing,
        (
          select f.block_number from ${sql(schema)}.chain_event f
          where f.campaign_id = c.campaign_id
            and f.id > coalesce(c.event_id, ${'0'.repeat(EVENT_ID_DIGITS)})
          order by f.id limit 1
        ) as first_block
      from campaign c
    )
    select head.*, looked.*
    from head left join looked on looked.missing or looked.first_block is not null`;
  const [first] = rows;
  if (first === undefined) throw new Error('the indexer head query answered no row');
  const backlog = rows.flatMap((row) =>
    row.campaign_id === null
      ? []
      : [
          {
            campaignId: row.campaign_id,
            cursorMissing: row.missing,
            firstBlock: row.first_block === null ? null : Number(row.first_block),
          },
        ],
  );
  return { indexer: headOf(first), backlog };
}
