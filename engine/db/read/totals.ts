import type { Sql } from '../connection.ts';
import { toInteger } from './ids.ts';

/** What the ledger holds in all, by its newest rows; a reorg may take some of it back. */
export interface LedgerTotals {
  readonly campaigns: number;
  readonly events: number;
  readonly sales: number;
  /** Finalized and not reversed. */
  readonly settledSales: number;
}

/** One statement over the cursors and campaigns: a row each, whatever they hold. */
export async function ledgerTotals(sql: Sql): Promise<LedgerTotals> {
  const [row] = await sql<
    { campaigns: string; events: string; sales: string; settled_sales: string }[]
  >`
    select count(*) as campaigns,
      coalesce((select sum(seq) from ledger.cursor), 0) as events,
      coalesce(sum(pending_count + finalized_count + refunded_count), 0) as sales,
      coalesce(sum(finalized_count - reversed_count), 0) as settled_sales
    from ledger.campaign`;
  return {
    campaigns: toInteger(row?.campaigns ?? '0'),
    events: toInteger(row?.events ?? '0'),
    sales: toInteger(row?.sales ?? '0'),
    settledSales: toInteger(row?.settled_sales ?? '0'),
  };
}
