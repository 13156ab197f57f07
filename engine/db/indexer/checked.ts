/**
 * The record of comparisons with the chain (docs/how-it-works/settlement.md#detect-dont-trust). The leading worker
 * writes it; the fold reads it in the statement that reads the facts (`facts.ts`).
 */

import type { Fragment, Pool, Sql } from '../connection.ts';
import { type LeaderToken, stillLeads } from '../leadership.ts';
import { asIndexed } from '../planner.ts';
import {
  as,
  hex,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  seconds,
  type View,
} from '../row.ts';
import { runningColumns } from '../write/cursor.ts';
import { isPossibleId } from './backlog.ts';
import { headOf, headQuery, type IndexerHead, type IndexerHeadRow } from './head.ts';

const checkedBlock = rowCodec({
  number: integer,
  /** `null` before the first block. */
  hash: nullable(hex),
  /** Unix seconds; 0 before the first block. */
  timestamp: seconds,
});

/** A block up to which the indexer's facts are those of the chain. */
export type CheckedBlock = View<typeof checkedBlock>;

/** Row codec of `CheckedHead`, for columns of `ledger.checked_head`. */
export const checkedHead = rowCodec({
  ...checkedBlock.fields,
  /** The highest checked block that was final to the indexer when it was checked. */
  final: {
    number: integer.from('final_number'),
    hash: nullable(hex.from('final_hash')),
    timestamp: seconds.from('final_timestamp'),
  },
});

export type CheckedHead = View<typeof checkedHead>;

/**
 * How far a schema was checked; a schema's first look notes that all is right up to the block before
 * `startBlock`, for there is nothing.
 */
export async function readChecked(
  sql: Sql,
  schema: string,
  startBlock: number,
): Promise<CheckedHead> {
  const [row] = await sql<StoredRow[]>`
    select ${checkedHead.columns(sql, 'checked_head')} from ledger.checked_head
    where indexer_schema = ${schema}`;
  if (row === undefined) {
    const before = { number: startBlock - 1, hash: null, timestamp: 0 };
    await sql`
      insert into ledger.checked_head (indexer_schema, number, timestamp, final_number,
        final_timestamp)
      values (${schema}, ${before.number}, 0, ${before.number}, 0)
      on conflict do nothing`;
    return { ...before, final: before };
  }
  return checkedHead.decode(row);
}

/** Blocks of which facts and logs are compared. */
export interface CheckedRange {
  /** The block before the first. */
  readonly after: { readonly number: number; readonly timestamp: number };
  readonly to: { readonly number: number; readonly timestamp: number };
}

const returnedLog = rowCodec({
  blockNumber: integer,
  blockHash: hex,
  transactionHash: hex,
  logIndex: integer,
});

/** A log that the chain returned, by the fields in which a fact must agree. */
export type ReturnedLog = View<typeof returnedLog>;

const difference = rowCodec({
  /**
   * `missing` the indexer does not have the log; `extra` the chain does not have the fact, or not
   * twice; `different` both have it, of another block.
   */
  kind: as<'missing' | 'extra' | 'different'>(),
  blockNumber: integer,
  /** Hash of the block that the indexer has the fact of; `null` if it does not have the fact. */
  blockHash: nullable(hex),
  transactionHash: hex,
  logIndex: integer,
});

/** A fact that is not what the chain has. */
export type Difference = View<typeof difference>;

/** A row of the comparison: the only one has no difference if there is none. */
const comparedRow = rowCodec({
  difference: optional(difference.fields),
  count: nullable(integer),
});

export interface Comparison {
  readonly indexer: IndexerHead;
  /** The lowest first; 20 at most. */
  readonly differences: readonly Difference[];
  /** All of them. */
  readonly count: number;
}

const MAX_LISTED_DIFFERENCES = 20;

/**
 * Compares the facts of a range with the logs that the chain returned, and records those above
 * `keepAbove` and below the first difference. Records the campaigns of the range as behind (backlog.ts). One
 * statement; one range of the index by block (fact-index.ts).
 */
export async function compareWithChain(
  sql: Sql,
  schema: string,
  range: CheckedRange,
  logs: readonly ReturnedLog[],
  keepAbove: number,
): Promise<Comparison> {
  // Not by the index of the transaction, about which RPCs disagree.
  const key = sql`concat_ws(' ', block_number, transaction_hash, log_index)`;
  const expected = sql`
    select ${key} as key, block_number, block_hash, transaction_hash, log_index
    from json_to_recordset(${JSON.stringify(logs.map(returnedLog.encode))}::text::json)
      as expected (block_number bigint, block_hash text, transaction_hash text, log_index bigint)`;
  const stored = sql`
    insert into ledger.checked_log
      (indexer_schema, campaign_id, block_number, log_index, block_hash)
    select ${schema}, campaign_id, block_number, log_index, block_hash from compared
    where kind is null and block_number > ${keepAbove}
      and block_number < coalesce((select min(block_number) from differing), ${range.to.number} + 1)
    on conflict (indexer_schema, campaign_id, block_number, log_index) do update
    set block_hash = excluded.block_hash`;
  const id = sql`campaign_id`;
  const noted = sql`
    ), behind as (
      insert into ledger.behind (indexer_schema, campaign_id)
      select ${schema}, campaign_id::bigint from found where ${isPossibleId(sql, id)}
      group by campaign_id
    ), refused as (
      insert into ledger.refused_campaign (indexer_schema, campaign_id, block_number)
      select ${schema}, campaign_id, min(block_number) from found where not ${isPossibleId(sql, id)}
      group by campaign_id
      on conflict do nothing`;
  return await compare(sql, schema, range, { key, expected, stored: sql`${stored}${noted}` });
}

/** Compares the facts of a range with the logs that were recorded when it was checked. */
export async function compareWithRecorded(
  sql: Sql,
  schema: string,
  range: CheckedRange,
): Promise<Comparison> {
  const key = sql`concat_ws(' ', block_number, log_index)`;
  const expected = sql`
    select ${key} as key, block_number, block_hash, null::text as transaction_hash, log_index
    from ledger.checked_log
    where indexer_schema = ${schema}
      and block_number > ${range.after.number} and block_number <= ${range.to.number}`;
  return await compare(sql, schema, range, { key, expected, stored: sql`select 1` });
}

/** The other side of a comparison with facts. */
interface Compared {
  /** An expression over a fact's columns: a fact and a log with the same key are compared. */
  readonly key: Fragment;
  /** Rows with that key, and with what must be equal. */
  readonly expected: Fragment;
  /** A statement that records what agrees. */
  readonly stored: Fragment;
}

async function compare(
  sql: Sql,
  schema: string,
  { after, to }: CheckedRange,
  { key, expected, stored }: Compared,
): Promise<Comparison> {
  const rows = await sql<IndexerHeadRow[]>`
    with head as (${headQuery(sql, schema)}),
    expected as (${expected}),
    found as (
      select f.*, case
        when row_number() over (partition by ${key} order by f.campaign_id) = 1 then ${key}
      end as key
      from (
        select campaign_id, block_number, block_hash, transaction_hash, log_index
        from ${sql(schema)}.chain_event
        where ${asIndexed(sql, sql`block_number`)} > ${after.number}
          and ${asIndexed(sql, sql`block_number`)} <= ${to.number}
      ) f
    ),
    compared as (
      select f.campaign_id, coalesce(f.block_number, t.block_number) as block_number,
        f.block_hash, coalesce(f.transaction_hash, t.transaction_hash, '') as transaction_hash,
        coalesce(f.log_index, t.log_index) as log_index,
        case
          when f.campaign_id is null then 'missing'
          when t.key is null then 'extra'
          when f.block_hash <> t.block_hash then 'different'
        end as kind
      from expected t full join found f on f.key = t.key
    ),
    differing as (select * from compared where kind is not null),
    stored as (${stored})
    select head.*, d.*
    from head left join (
      select kind, block_number, block_hash, transaction_hash, log_index,
        count(*) over () as count
      from differing order by block_number, log_index, kind limit ${MAX_LISTED_DIFFERENCES}
    ) d on true
    order by d.block_number, d.log_index, d.kind`;
  const [first] = rows;
  if (first === undefined) throw new Error('the indexer head query answered no row');
  const compared = rows.map(comparedRow.decode);
  return {
    indexer: headOf(first),
    differences: compared.flatMap((row) => row.difference ?? []),
    count: compared[0]?.count ?? 0,
  };
}

/**
 * Moves the checked head up or down, if it is still at `from`: of two workers that both believe that
 * they lead, one moves it. Checked rows that are above it, or final, are deleted.
 * @param blocks checked blocks by which a reorg's last common block is found.
 * @param leader the worker that checked them, if it was one; nothing changes if another worker leads.
 */
export async function moveChecked(
  pool: Pool,
  schema: string,
  from: CheckedHead,
  to: CheckedHead,
  blocks: readonly CheckedBlock[],
  leader?: LeaderToken,
): Promise<void> {
  if (to.number >= from.number && to.final.number === from.final.number) {
    await moveHead(pool, schema, from, to, blocks, leader);
    return;
  }
  await pool.begin(async (sql) => {
    if (!(await moveHead(sql, schema, from, to, blocks, leader))) return;
    if (to.number < from.number) await forgetAbove(sql, schema, to.number);
    if (to.final.number > from.final.number) {
      await noteFinalized(sql, schema, from.final.number, to.final.number);
      await forgetFinal(sql, schema, to.final.number);
    }
  });
}

/** One statement, for it is between a new block and its settlement. */
async function moveHead(
  sql: Sql,
  schema: string,
  from: CheckedHead,
  to: CheckedHead,
  blocks: readonly CheckedBlock[],
  leader: LeaderToken | undefined,
): Promise<boolean> {
  const rows = blocks.map((block) => ({ indexer_schema: schema, ...block }));
  const moved = await sql`
    with moved as (
      update ledger.checked_head set
        number = ${to.number}, hash = ${to.hash}, timestamp = ${to.timestamp},
        final_number = ${to.final.number}, final_hash = ${to.final.hash},
        final_timestamp = ${to.final.timestamp}
      where indexer_schema = ${schema} and number = ${from.number}
        and hash is not distinct from ${from.hash} and ${stillLeads(sql, leader)}
      returning 1
    ),
    stored as (
      insert into ledger.checked_block
      select b.* from moved cross join json_populate_recordset(
        null::ledger.checked_block, ${JSON.stringify(rows)}::text::json
      ) b
      on conflict (indexer_schema, number) do update
      set hash = excluded.hash, timestamp = excluded.timestamp
    )
    select 1 from moved`;
  return moved.length > 0;
}

async function forgetAbove(sql: Sql, schema: string, number: number): Promise<void> {
  await sql`
    delete from ledger.checked_log where indexer_schema = ${schema} and block_number > ${number}`;
  await sql`
    delete from ledger.checked_block where indexer_schema = ${schema} and number > ${number}`;
  await sql`
    delete from ledger.refused_campaign where indexer_schema = ${schema} and block_number > ${number}`;
  await retryStopped(sql, schema, number);
}

/** Starts campaigns again that were stopped because of data that may lie in replaced blocks. */
async function retryStopped(sql: Sql, schema: string, number: number): Promise<void> {
  await sql`
    with retried as (
      update ledger.cursor set ${runningColumns(sql)}
      where stopped_checked > ${number}
      returning campaign_id
    )
    insert into ledger.behind (indexer_schema, campaign_id) select ${schema}, campaign_id from retried`;
}

/**
 * Notes the campaigns whose newest folded event lies in blocks that become final. The feeder asks about a cursor
 * for as long as its block is not final (backlog.ts), and so once more now: the indexer may have dropped the
 * event of a replaced block in the same moment in which the new block became final.
 */
async function noteFinalized(sql: Sql, schema: string, from: number, to: number): Promise<void> {
  await sql`
    insert into ledger.behind (indexer_schema, campaign_id)
    select ${schema}, campaign_id from ledger.cursor
    where block_number > ${from} and block_number <= ${to} and stopped_at is null`;
}

async function forgetFinal(sql: Sql, schema: string, number: number): Promise<void> {
  await sql`
    delete from ledger.checked_log where indexer_schema = ${schema} and block_number <= ${number}`;
  await sql`
    delete from ledger.checked_block where indexer_schema = ${schema} and number <= ${number}`;
}

/** Checked blocks below a height, the highest first. */
export async function checkedBlocksBelow(
  sql: Sql,
  schema: string,
  number: number,
  limit: number,
): Promise<readonly CheckedBlock[]> {
  const rows = await sql<StoredRow[]>`
    select ${checkedBlock.columns(sql, 'checked_block')} from ledger.checked_block
    where indexer_schema = ${schema} and number < ${number}
    order by number desc limit ${limit}`;
  return rows.map(checkedBlock.decode);
}
