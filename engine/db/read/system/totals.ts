import type { Sql } from '../../connection.ts';
import { integer, rowCodec, type StoredRow, type View } from '../../row.ts';

const ledgerTotal = rowCodec({
  campaigns: integer,
  events: integer,
  sales: integer,
  /** Finalized and not reversed. */
  settledSales: integer,
});

/** Totals of the ledger by its newest rows; a reorg can remove some of it. */
export type LedgerTotals = View<typeof ledgerTotal>;

/** Totals of the ledger: one statement, which reads one row for each cursor and campaign. */
export async function ledgerTotals(sql: Sql): Promise<LedgerTotals> {
  const [row] = await sql<StoredRow[]>`
    select count(*) as campaigns,
      coalesce((select sum(seq) from ledger.cursor), 0) as events,
      coalesce(sum(pending_count + finalized_count + refunded_count), 0) as sales,
      coalesce(sum(finalized_count - reversed_count), 0) as settled_sales
    from ledger.campaign`;
  if (row === undefined) throw new Error('A select of totals returned no row.');
  return ledgerTotal.decode(row);
}
