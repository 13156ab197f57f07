import type { Sql } from '../../connection.ts';
import { hexText } from '../../hex.ts';
import { asIndexed } from '../../planner.ts';
import { id, rowCodec, type StoredRow, type View } from '../../row.ts';
import { isAwaited, refundGoalSql } from '../disputes/rows.ts';
import type { ReadHead } from '../snapshot.ts';

const dueSale = rowCodec({ saleId: id, campaignId: id });

/** A sale that can be finalized. */
export type DueSale = View<typeof dueSale>;

/**
 * Sales whose hold was over at the settled block and that are still pending, the longest due first. Only
 * sales in final blocks, because a reorg could give their ids to other sales; and none under an open
 * or accepted dispute, because finalizing would end the possibility of a refund. A dispute is over when
 * the block of its refund is final.
 */
export async function dueSales(
  sql: Sql,
  head: Pick<ReadHead, 'timestamp' | 'finalizedNumber'>,
  limit: number,
): Promise<DueSale[]> {
  if (head.finalizedNumber === null) return [];
  const heldUntil = asIndexed(sql, sql`sale.hold_until`);
  const rows = await sql<StoredRow[]>`
    select sale.sale_id, sale.campaign_id from ledger.sale sale
    where sale.state = 'pending' and ${heldUntil} <= ${head.timestamp}
      and sale.block_number <= ${head.finalizedNumber}
      and not exists (
        select 1 from commerce.dispute
        where dispute.buyer = ${hexText(sql, sql`sale.buyer`)}
          and dispute.order_key = ${hexText(sql, sql`sale.order_key`)}
          and dispute.campaign_id = sale.campaign_id and ${isAwaited(sql)}
          and not exists (
            select 1 from ledger.sale_version version
            join ledger.journal refunding
              on refunding.campaign_id = version.campaign_id and refunding.seq = version.seq
            where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
              and version.refunded_total >= ${refundGoalSql(sql)}
              and refunding.block_number <= ${head.finalizedNumber}
          )
      )
    order by ${heldUntil}, sale.sale_id limit ${limit}`;
  return rows.map(dueSale.decode);
}
