/**
 * The only reader of the indexer's tables (docs/how-it-works/architecture.md#where-data-lives): its `chain_event`, `_ponder_meta` and
 * `_ponder_checkpoint`, not its views, which come and go. Each function is one statement, so that
 * its result is consistent.
 */

import { formatEventId } from '../../core/event-id.ts';
import { type Fact, readEvent } from '../../core/events.ts';
import type { Fragment, Sql } from '../connection.ts';
import { hexText } from '../hex.ts';
import { fence } from '../planner.ts';
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
  text,
  type View,
} from '../row.ts';
import { positionRow } from '../rows/event.ts';
import { chainIdOf, headOf, headQuery, type IndexerHead, type IndexerHeadRow } from './head.ts';

/** The last event that a campaign's ledger holds. */
export type FactRef = View<typeof positionRow>;

/** Facts of a campaign's next batch. */
export interface FactBatch {
  readonly campaignId: string;
  readonly indexer: IndexerHead;
  /** True if the fact at the cursor exists, with its block hash. Otherwise `facts` is empty. */
  readonly cursorPresent: boolean;
  /** The checked facts after the cursor, oldest first, `limit` at most. */
  readonly facts: readonly Fact[];
  /** Whether they end at a fact that came, or before one that went, after its block was checked. */
  readonly blocked: boolean;
}

/** How far a campaign's facts were read. */
export interface FactCursor {
  readonly campaignId: string;
  /** `null` before the campaign's first event. */
  readonly at: FactRef | null;
}

const batchRow = rowCodec({
  /** Number of the campaign among the requested ones, from 2. */
  place: integer,
  present: flag,
  blocked: flag,
  /** `null` on the only row of a campaign without facts. */
  fact: optional({
    location: {
      campaignId: id,
      blockNumber: integer,
      blockHash: hex,
      timestamp: seconds.from('block_timestamp'),
      transactionHash: hex,
      logIndex: small,
    },
    transactionIndex: small,
    name: text,
    calldataEnd: nullable(hex),
    /** JSON that `readEvent` checks: it can be `null`. */
    args: nullable(as<unknown>()),
  }),
});

type BatchRow = View<typeof batchRow>;

/**
 * Reads, in one statement, the indexer's readiness and, for each campaign, the fact at the cursor and
 * the facts after it (docs/how-it-works/settlement.md#reorgs). Without exactly that fact it returns none. Nor does it
 * return a fact that was not compared with the chain (docs/how-it-works/settlement.md#detect-dont-trust): it is at or below the
 * checked block that is final, or recorded with its block hash, and so is every one before it.
 * @param limit facts of one campaign, at most.
 * @returns the campaigns in the order of their cursors.
 */
export async function readFacts(
  sql: Sql,
  schema: string,
  cursors: readonly FactCursor[],
  limit: number,
): Promise<readonly FactBatch[]> {
  const table = sql`${sql(schema)}.chain_event`;
  // The first row is of no campaign, and has the head: with each fact, it was a quarter of the cost of reading in PostgreSQL.
  const asked: readonly (FactCursor | null)[] = [null, ...cursors];
  const [head, ...rows] = await sql<IndexerHeadRow[]>`
    with head as (${headQuery(sql, schema)}),
    checked as (
      select number, final_number from ledger.checked_head where indexer_schema = ${schema}
    )
    select head.*, asked.place, anchor.present, batch.*
    from unnest(
      ${asked.map((cursor) => cursor?.campaignId ?? null)}::numeric[],
      ${asked.map((cursor) => cursor?.at?.blockNumber ?? -1)}::bigint[],
      ${asked.map((cursor) => cursor?.at?.logIndex ?? -1)}::integer[],
      ${asked.map((cursor) => cursor?.at?.blockHash ?? null)}::text[]
    ) with ordinality as asked (campaign_id, after_block, after_log, block_hash, place)
    left join head on asked.place = 1
    cross join lateral (
      select asked.block_hash is null or exists (
        select 1 from ${table} f
        where f.campaign_id = asked.campaign_id and f.block_number = asked.after_block
          and f.log_index = asked.after_log and f.block_hash = asked.block_hash
      ) as present, null::text as calldata_end, null::integer as transaction_index, null::text as id
      ${fence(sql)}
    ) anchor
    cross join lateral (${nextFacts(sql, schema, limit)}) batch
    order by asked.place, batch.block_number, batch.log_index`;
  if (head === undefined) throw new Error('the indexer head query answered no row');
  const indexer = headOf(head);
  const batches = cursors.map(({ campaignId }) => ({
    campaignId,
    indexer,
    cursorPresent: false,
    facts: [] as Fact[],
    blocked: false,
  }));
  let chainId: string | undefined;
  for (const { place, present, blocked, fact } of rows.map(batchRow.decode)) {
    const batch = batches[place - 2];
    if (batch === undefined) throw new Error('facts of a campaign that was not asked for');
    batch.cursorPresent = present;
    batch.blocked = blocked;
    if (fact === null) continue;
    chainId ??= chainIdOf(head);
    batch.facts.push(factOf(fact, chainId));
  }
  return batches;
}

function factOf(found: NonNullable<BatchRow['fact']>, chainId: string): Fact {
  const { location, transactionIndex, name, args, calldataEnd } = found;
  const id = formatEventId({ ...location, chainId, transactionIndex });
  const fact: Fact = { ...location, id, ...readEvent(name, args) };
  return calldataEnd === null ? fact : { ...fact, calldataEnd };
}

/**
 * A select of the next facts of a campaign of `asked`, none if the fact at its cursor is missing (`anchor`), up to
 * the first one that was not compared with the chain (`checked`), or that was and is missing: then it is `blocked`.
 * `calldata_end` and `transaction_index` have no table in front: an indexer of a version before has no such column, and
 * the null of `anchor` is found instead. It has `id`, Ponder's event id.
 */
function nextFacts(sql: Sql, schema: string, limit: number): Fragment {
  const table = sql`${sql(schema)}.chain_event`;
  return sql`
    with fact as (
      select f.campaign_id, f.block_number, f.block_hash, f.block_timestamp,
        f.transaction_hash, f.log_index, f.name, f.args, calldata_end,
        coalesce(transaction_index, substr(id, 43, 16)::integer) as transaction_index
      from ${table} f
      where anchor.present and f.campaign_id = asked.campaign_id
        and (f.block_number, f.log_index) > (asked.after_block, asked.after_log)
        and f.block_number <= (select number from checked)
      order by f.block_number, f.log_index
      limit ${limit}
    ),
    last as (
      select block_number, log_index from fact order by block_number desc, log_index desc limit 1
    ),
    recorded as (
      select k.* from last cross join lateral (
        select block_number, log_index, block_hash from ledger.checked_log
        where indexer_schema = ${schema} and campaign_id = asked.campaign_id
          and (block_number, log_index) > (asked.after_block, asked.after_log)
          and (block_number, log_index) <= (last.block_number, last.log_index)
        ${fence(sql)}
      ) k
    ),
    barrier as (
      select coalesce(f.block_number, k.block_number) as block_number,
        coalesce(f.log_index, k.log_index) as log_index
      from fact f full join recorded k on k.block_number = f.block_number
        and k.log_index = f.log_index and k.block_hash = f.block_hash
      where f.log_index is null
        or k.log_index is null and f.block_number > (select final_number from checked)
      order by 1, 2 limit 1
    )
    select barrier.log_index is not null as blocked, fact.*
    from (values (true)) always
    left join barrier on true
    left join fact on barrier.log_index is null
      or (fact.block_number, fact.log_index) < (barrier.block_number, barrier.log_index)`;
}

/** Reads the next facts of one campaign. */
export async function readCampaignFacts(
  sql: Sql,
  schema: string,
  cursor: FactCursor,
  limit: number,
): Promise<FactBatch> {
  const [batch] = await readFacts(sql, schema, [cursor], limit);
  if (batch === undefined) throw new Error('the facts of a campaign were not answered');
  return batch;
}

export const commonEvent = rowCodec({ ...positionRow.fields, seq: integer, digest: hex });

/** The newest event of a campaign that both its ledger and the indexer's table hold. */
export type CommonEvent = View<typeof commonEvent>;

/** How much of a campaign's journal the indexer's table still has. */
export interface JournalMatch {
  /** `null` if the two have no event in common. */
  readonly common: CommonEvent | null;
  /** The oldest event after it, which the table does not have; `undefined` if there is none. */
  readonly missing: FactRef | undefined;
}

/** Compares a campaign's journal with the indexer's table, from the newest event down. */
export async function matchJournal(
  sql: Sql,
  schema: string,
  campaignId: string,
): Promise<JournalMatch> {
  const rows = await sql<StoredRow[]>`
    with common as (
      select j.seq, j.log_index, j.block_number, j.block_hash, j.digest
      from ledger.journal j
      where j.campaign_id = ${campaignId} and exists (
        select 1 from ${sql(schema)}.chain_event f
        where f.campaign_id = ${campaignId}::numeric and f.block_number = j.block_number
          and f.log_index = j.log_index and f.block_hash = ${hexText(sql, sql`j.block_hash`)}
      )
      order by j.seq desc
      limit 1
    )
    select true as is_common, common.* from common
    union all
    select false, j.seq, j.log_index, j.block_number, j.block_hash, j.digest
    from ledger.journal j
    where j.campaign_id = ${campaignId}
      and j.seq = coalesce((select seq from common), 0) + 1`;
  const [common, missing] = [true, false].map((is) => rows.find((row) => row.is_common === is));
  return {
    common: common === undefined ? null : commonEvent.decode(common),
    missing: missing && commonEvent.decode(missing),
  };
}

/**
 * How many facts each campaign has after its cursor, indexed and not folded, by campaign.
 * @param most that are counted of one campaign.
 */
export async function countFacts(
  sql: Sql,
  schema: string,
  campaignIds: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ campaign_id: string; facts: number }[]>`
    select asked.campaign_id, found.facts::int as facts
    from unnest(${[...campaignIds]}::numeric[]) as asked (campaign_id)
    left join ledger.cursor c on c.campaign_id = asked.campaign_id::bigint
    cross join lateral (
      select count(*) as facts from (
        select from ${sql(schema)}.chain_event f
        where f.campaign_id = asked.campaign_id
          and (f.block_number, f.log_index)
            > (coalesce(c.block_number, -1), coalesce(c.log_index, -1))
        order by f.block_number, f.log_index limit ${most}
      ) some_of_them
    ) found`;
  return new Map(rows.map((row) => [row.campaign_id, row.facts]));
}
