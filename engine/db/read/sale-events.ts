import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { toInteger } from './ids.ts';

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
  readonly campaignId: string;
  readonly saleId: string;
  /** Decimal digits. */
  readonly afterSeq?: string;
  readonly throughSeq: number;
  readonly limit: number;
}

/** Events of a sale, oldest first: one statement. */
export async function saleEvents(sql: Sql, range: EventRange): Promise<SaleEvent[]> {
  const rows = await sql<EventRow[]>`
    select ${eventColumns(sql)} from ledger.journal
    where campaign_id = ${range.campaignId} and sale_id = ${range.saleId}
      and seq > ${range.afterSeq ?? '0'} and seq <= ${range.throughSeq}
    order by seq limit ${range.limit}`;
  return rows.map(eventOf);
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

/** The discrepancies of a sale's events, 100 at most. */
export async function saleDiscrepancies(
  sql: Sql,
  { campaignId, saleId, throughSeq }: Omit<EventRange, 'limit' | 'afterSeq'>,
): Promise<DiscrepancyView[]> {
  const rows = await sql<DiscrepancyView[]>`
    select found.kind, found.level, found.account, found.expected, found.actual
    from ledger.journal
    join ledger.discrepancy found
      on found.campaign_id = journal.campaign_id and found.seq = journal.seq
    where journal.campaign_id = ${campaignId} and journal.sale_id = ${saleId}
      and journal.seq <= ${throughSeq}
    order by found.seq, found.ordinal limit 100`;
  return rows.map((row) => ({ ...row }));
}
