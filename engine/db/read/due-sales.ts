import type { Sql } from '../connection.ts';
import type { ReadHead } from './snapshot.ts';

/** A sale that may be finalized. */
export interface DueSale {
  readonly saleId: string;
  readonly campaignId: string;
}

/**
 * Sales whose hold was over at the settled block and that nobody has finalized or refunded, the
 * longest due first. Only recorded ones that are final, so that no reorg can give their ids to
 * others; and none under an open or accepted dispute, whose refund finalizing would cut off.
 */
export async function dueSales(
  sql: Sql,
  head: Pick<ReadHead, 'timestamp' | 'finalizedNumber'>,
  limit: number,
): Promise<DueSale[]> {
  if (head.finalizedNumber === null) return [];
  const rows = await sql<{ sale_id: string; campaign_id: string }[]>`
    select sale.sale_id, sale.campaign_id from ledger.sale sale
    where sale.state = 'pending' and sale.hold_until <= ${head.timestamp}
      and sale.block_number <= ${head.finalizedNumber}
      and not exists (
        select 1 from commerce.dispute
        where dispute.buyer = sale.buyer and dispute.order_key = sale.order_key
          and dispute.campaign_id = sale.campaign_id and dispute.answer in ('open', 'accepted')
      )
    order by sale.hold_until, sale.sale_id limit ${limit}`;
  return rows.map((row) => ({ saleId: row.sale_id, campaignId: row.campaign_id }));
}
