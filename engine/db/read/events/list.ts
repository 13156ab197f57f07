import type { Address, EventName, Hex } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { asIndexed } from '../../planner.ts';
import {
  byteHash,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  small,
  type View,
} from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { type LedgerEventView, ledgerEventColumns, ledgerEventOf } from './rows.ts';

/** A position in the events of all campaigns, in the order of the chain: behind an event. */
export interface ChainPosition {
  readonly blockNumber: number;
  /** Index of the log in its block. */
  readonly logIndex: number;
}

/** Filters of events; `undefined` does not filter. */
export interface EventFilter {
  readonly names: readonly EventName[] | undefined;
  /** As `probeId` returns them. */
  readonly campaignIds: readonly string[] | undefined;
  /** Events that concern one of these accounts, in lower case. */
  readonly accounts: readonly Address[] | undefined;
}

/** A page of events in the order of the chain. */
export interface EventPage {
  readonly items: readonly LedgerEventView[];
  /** Position up to which events were read; `null` if all were. */
  readonly readUpTo: ChainPosition | null;
}

/** Number of events that a page with a filter reads to find its items. */
const MAX_SCANNED = 2_000;

const scanEdge = rowCodec({
  scanned: integer,
  lastBlock: nullable(integer),
  lastLog: nullable(small),
});

/**
 * Events after a position and up to a block, in the order of the chain: one statement. Events of stopped
 * campaigns are left out, because they can be from blocks that the chain has replaced. With a filter, at most
 * 2,000 events are read, so a page can have fewer items than its limit before the last event.
 * @param upTo a block at or below the settled one.
 */
export async function eventsAfter(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  { after, upTo }: { readonly after: ChainPosition; readonly upTo: number },
  { names, campaignIds, accounts }: EventFilter,
  limit: number,
): Promise<EventPage> {
  const isFiltered = names !== undefined || accounts !== undefined;
  const most = isFiltered ? MAX_SCANNED : limit + 1;
  const rows = await sql<StoredRow[]>`
    with scanned as materialized (
      ${
        campaignIds === undefined
          ? sql`
            select journal.* from ledger.journal
            where journal.campaign_id <> all(${stoppedIds(head)}::bigint[])
              and ${inRange(sql, chainBlock(sql), after, upTo)}
            order by ${chainBlock(sql)}, journal.log_index limit ${most}`
          : sql`
            select event.* from unnest(${[...campaignIds]}::bigint[]) named (id)
            cross join lateral (
              select journal.* from ledger.journal
              where journal.campaign_id = named.id
                and ${inRange(sql, sql`journal.block_number`, after, upTo)}
              order by journal.block_number, journal.seq limit ${most}
            ) event
            where named.id <> all(${stoppedIds(head)}::bigint[])
            order by event.block_number, event.log_index limit ${most}`
      }
    ), newest as (
      select block_number as last_block, log_index as last_log from scanned
      order by block_number desc, log_index desc limit 1
    )
    select edge.scanned, newest.last_block, newest.last_log, found.*
    from (select count(*) as scanned from scanned) edge
    left join newest on true
    left join lateral (
      select event.* from (select ${ledgerEventColumns(sql, 'scanned')} from scanned
        ${names === undefined ? sql`` : sql`where scanned.name = any(${[...names]}::text[])`}
      ) event
      ${accounts === undefined ? sql`` : sql`where event.accounts && ${[...accounts]}::text[]`}
      order by event.block_number, event.log_index limit ${limit + 1}
    ) found on true
    order by found.block_number, found.log_index`;
  const [first] = rows;
  if (first === undefined) throw new Error('A select of totals returned no row.');
  // Without a match there is one row, of nulls.
  const found = first.seq === null ? [] : rows.map(ledgerEventOf);
  const items = found.slice(0, limit);
  const { scanned, lastBlock, lastLog } = scanEdge.decode(first);
  if (found.length > limit) return { items, readUpTo: items.at(-1) ?? null };
  const isWhole = scanned < most || lastBlock === null || lastLog === null;
  return { items, readUpTo: isWhole ? null : { blockNumber: lastBlock, logIndex: lastLog } };
}

/** The block of an event for a statement about all campaigns. */
function chainBlock(sql: Sql) {
  return asIndexed(sql, sql`journal.block_number`);
}

function inRange(
  sql: Sql,
  block: Fragment,
  { blockNumber, logIndex }: ChainPosition,
  upTo: number,
) {
  return sql`${block} >= ${blockNumber} and ${block} <= ${upTo}
    and (${block} > ${blockNumber} or journal.log_index > ${logIndex})`;
}

const chainMark = rowCodec({ blockNumber: integer, blockHash: byteHash, logIndex: small });

/** A block with an event, and the index of the last event that was found in it. */
export type ChainMark = View<typeof chainMark>;

/**
 * For each height, the newest event at or below it, newest first and each once: one probe for each. A block's
 * hash follows from all blocks before it, so a mark that the ledger still has proves that all events up
 * to its block are unchanged.
 */
export async function marksAtOrBelow(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  heights: readonly number[],
): Promise<ChainMark[]> {
  const rows = await sql<StoredRow[]>`
    select distinct event.block_number, event.block_hash, event.log_index
    from unnest(${heights.map(String)}::bigint[]) as height
    cross join lateral (
      select block_number, block_hash, log_index from ledger.journal
      where ${chainBlock(sql)} <= height and campaign_id <> all(${stoppedIds(head)}::bigint[])
      order by ${chainBlock(sql)} desc, log_index desc limit 1
    ) event
    order by event.block_number desc`;
  return rows.map(chainMark.decode);
}

const markedBlock = rowCodec({ blockNumber: nullable(integer) });

/** Height of the newest of these blocks that the ledger still has; `null` if it has none of them. */
export async function newestKnownBlock(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  blocks: readonly { readonly blockNumber: number; readonly blockHash: Hex }[],
): Promise<number | null> {
  const numbers = blocks.map(({ blockNumber }) => String(blockNumber));
  const hashes = blocks.map(({ blockHash }) => blockHash);
  const [row] = await sql<StoredRow[]>`
    select max(mark.number) as block_number
    from unnest(${numbers}::bigint[], ${hashes}::bytea[]) as mark (number, hash)
    where exists (
      select 1 from ledger.journal
      where ${chainBlock(sql)} = mark.number and block_hash = mark.hash
        and campaign_id <> all(${stoppedIds(head)}::bigint[])
    )`;
  return row === undefined ? null : markedBlock.decode(row).blockNumber;
}

function stoppedIds({ stopped }: Snapshot['head']): string[] {
  return stopped.map(({ campaignId }) => campaignId);
}
