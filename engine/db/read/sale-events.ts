import type { Address, Hex } from '../../core/events.ts';
import type { Fragment, Sql } from '../connection.ts';
import { toInteger } from './ids.ts';
import { jsonRows } from './one-read.ts';

/** One event of a sale, and where it stands. */
export interface SaleEvent {
  readonly seq: number;
  readonly name: string;
  /** As decoded, campaignId left out; amounts as decimal digits. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** The columns of `eventColumns`. */
export interface EventRow {
  seq: string;
  name: string;
  args: Record<string, unknown>;
  block_number: string;
  block_hash: Hex;
  block_timestamp: string;
  transaction_hash: Hex;
  log_index: number;
}

/** Which events of which sale: those after one seq, up to another. */
export interface EventRange {
  readonly campaignId: string | Fragment;
  readonly saleId: string | Fragment;
  /** Decimal digits. */
  readonly afterSeq?: string;
  readonly throughSeq: number | Fragment;
  readonly limit: number;
}

/** Events of a sale, oldest first: one statement. */
export async function saleEvents(sql: Sql, range: EventRange): Promise<SaleEvent[]> {
  const rows = await sql<EventRow[]>`${eventsIn(sql, range)}`;
  return rows.map(eventOf);
}

/** The same events as one JSON value. */
export function saleEventRows(sql: Sql, range: EventRange) {
  return jsonRows<EventRow>(sql, eventsIn(sql, range), eventKinds, 'each.seq');
}

const eventKinds = {
  seq: 'text',
  name: 'is',
  args: 'is',
  block_number: 'text',
  block_hash: 'is',
  block_timestamp: 'text',
  transaction_hash: 'is',
  log_index: 'is',
} as const;

function eventsIn(sql: Sql, range: EventRange) {
  return sql`
    select ${eventColumns(sql)} from ledger.journal
    where campaign_id = ${range.campaignId} and sale_id = ${range.saleId}
      and seq > ${range.afterSeq ?? '0'} and seq <= ${range.throughSeq}
    order by seq limit ${range.limit}`;
}

/** Of `journal`. */
export function eventColumns(sql: Sql) {
  return sql`
    journal.seq, journal.name, journal.args, journal.block_number, journal.block_hash,
    journal.block_timestamp, journal.transaction_hash, journal.log_index`;
}

export function eventOf(row: EventRow): SaleEvent {
  const { campaignId: _told, ...args } = row.args;
  return {
    seq: toInteger(row.seq),
    name: row.name,
    args,
    blockNumber: toInteger(row.block_number),
    blockHash: row.block_hash,
    blockTimestamp: toInteger(row.block_timestamp),
    transactionHash: row.transaction_hash,
    logIndex: row.log_index,
  };
}

/** What settlement computed and the chain said otherwise. */
export interface DiscrepancyView {
  readonly kind: string;
  readonly level: number | null;
  readonly account: Address | null;
  readonly expected: string;
  readonly actual: string;
}

/** The discrepancies of a sale's events as one JSON value, 100 at most. */
export function saleDiscrepancyRows(
  sql: Sql,
  { campaignId, saleId, throughSeq }: Omit<EventRange, 'limit' | 'afterSeq'>,
) {
  const found = sql`
    select found.seq, found.ordinal, found.kind, found.level, found.account, found.expected,
      found.actual
    from ledger.journal
    join ledger.discrepancy found
      on found.campaign_id = journal.campaign_id and found.seq = journal.seq
    where journal.campaign_id = ${campaignId} and journal.sale_id = ${saleId}
      and journal.seq <= ${throughSeq}
    order by found.seq, found.ordinal limit 100`;
  return jsonRows<DiscrepancyView>(sql, found, discrepancyKinds, 'each.seq, each.ordinal');
}

const discrepancyKinds = {
  kind: 'is',
  level: 'is',
  account: 'is',
  expected: 'is',
  actual: 'is',
} as const;
