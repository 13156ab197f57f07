import type { Address, Hex } from '../../core/events.ts';
import { type SaleRow, type SaleView, saleColumns, saleJoins, saleOf } from './sale-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** What names an order for good: the contract takes each order key once per campaign and buyer. */
export interface OrderRef {
  readonly campaignId: string;
  /** Lower case, as the key. */
  readonly buyer: Address;
  readonly orderKey: Hex;
}

/** The sale that an order became; `undefined` where there is none at the settled block. */
export async function orderSale(
  { sql, head }: Snapshot,
  { campaignId, buyer, orderKey }: OrderRef,
): Promise<SaleView | undefined> {
  const [row] = await sql<SaleRow[]>`
    select ${saleColumns(sql)} from ledger.sale sale ${saleJoins(sql, head)}
    where sale.buyer = ${buyer} and sale.order_key = ${orderKey}
      and sale.campaign_id = ${campaignId} and sale.block_number <= ${head.number}
    order by sale.block_number desc limit 1`;
  return row && saleOf(row);
}
