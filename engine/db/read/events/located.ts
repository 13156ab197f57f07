import type { Hex } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { hexBytes, isTransaction } from '../../hex.ts';
import { asIndexed } from '../../planner.ts';
import { integer, rowCodec, type StoredRow } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { type LedgerEventView, ledgerEventColumns, ledgerEventOf } from './rows.ts';

/** A page of the events of one block or transaction. */
interface LocatedPage {
  /** Index of the log after which the page begins; -1 for the first page. */
  readonly afterLog: number;
  readonly limit: number;
}

/** Events of a block, by the index of their log. */
export async function eventsOfBlock(
  { sql }: Pick<Snapshot, 'sql'>,
  blockNumber: number,
  { afterLog, limit }: LocatedPage,
): Promise<LedgerEventView[]> {
  const rows = await sql<StoredRow[]>`
    select ${ledgerEventColumns(sql, 'journal')} from ledger.journal
    where ${isOfBlock(sql, blockNumber)} and journal.log_index > ${afterLog}
    order by journal.log_index limit ${limit}`;
  return rows.map(ledgerEventOf);
}

/** Events of a transaction at or below the settled block, by the index of their log. */
export async function eventsOfTransaction(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  hash: Hex,
  { afterLog, limit }: LocatedPage,
): Promise<LedgerEventView[]> {
  const rows = await sql<StoredRow[]>`
    select ${ledgerEventColumns(sql, 'journal')} from ledger.journal
    where ${isTransaction(sql, 'journal', hash)} and journal.block_number <= ${head.number}
      and journal.log_index > ${afterLog}
    order by journal.log_index limit ${limit}`;
  return rows.map(ledgerEventOf);
}

const eventCount = rowCodec({ events: integer });

/** Number of events of a block. */
export async function countEventsOfBlock(
  { sql }: Pick<Snapshot, 'sql'>,
  blockNumber: number,
): Promise<number> {
  const [row] = await sql<StoredRow[]>`
    select count(*) as events from ledger.journal where ${isOfBlock(sql, blockNumber)}`;
  return row === undefined ? 0 : eventCount.decode(row).events;
}

/**
 * A condition: the ledger has the event that a row names.
 * @param row a relation with `block_number`, `log_index` and `block_hash` as text.
 */
export function isInLedger(sql: Sql, row: Fragment): Fragment {
  return sql`exists (
    select 1 from ledger.journal
    where ${isOfBlock(sql, sql`${row}.block_number`)} and journal.log_index = ${row}.log_index
      and journal.block_hash = ${hexBytes(sql, sql`${row}.block_hash`)}
  )`;
}

function isOfBlock(sql: Sql, blockNumber: number | Fragment): Fragment {
  return sql`${asIndexed(sql, sql`journal.block_number`)} = ${blockNumber}`;
}
