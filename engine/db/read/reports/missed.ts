import type { Snapshot } from '../snapshot.ts';
import { type ReportScope, type RowSource, saleColumns, salesOf, tokenColumns } from './scope.ts';

/** A row for each cap that cost a level something, in the order in which the caps apply. */
export function missedRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const missed = sql`${salesOf(sql, head, scope)}
    join ledger.missed_reward missed
      on missed.campaign_id = sale.campaign_id and missed.sale_id = sale.sale_id`;
  return {
    count: sql`select count(*) as rows from ${missed}`,
    rows: sql`
      select ${saleColumns(sql)}, ${tokenColumns(sql)}, missed.level, missed.node_id as "nodeId",
        missed.recipient, missed.reason, missed.amount
      from ${missed}
      order by sale.campaign_id, sale.block_timestamp, sale.sale_id, missed.level,
        array_position(array['SALE_CAP', 'LIABILITY_CAP', 'BUDGET'], missed.reason)`,
  };
}
