import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { as, id, nullable, rowCodec, type StoredRow, type View } from '../../row.ts';
import { eventOf, eventView, type SaleEvent } from '../sales/events.ts';
import { eventAccounts } from './accounts.ts';

const eventSubject = rowCodec({
  campaignId: id,
  saleId: nullable(id),
  accounts: as<readonly Address[]>(),
});

/** An event of any campaign, with the sale and the accounts that it concerns. */
export type LedgerEventView = SaleEvent & View<typeof eventSubject>;

/** Columns of `ledgerEventOf`. @param table `ledger.journal`, or an alias of its rows. */
export function ledgerEventColumns(sql: Sql, table: 'journal' | 'scanned') {
  return sql`
    ${eventView.columns(sql, table)}, ${sql(table)}.campaign_id, ${sql(table)}.sale_id,
    ${eventAccounts(sql, sql`${sql(table)}`)} as accounts`;
}

/** Decodes a row with the columns of `ledgerEventColumns`. */
export function ledgerEventOf(row: StoredRow): LedgerEventView {
  return { ...eventOf(row), ...eventSubject.decode(row) };
}
