import type { Address, Hex } from '../../../core/events.ts';
import type { StoredRow } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { joinSale, type SaleView, saleColumns, saleView } from './rows.ts';

/** Identifies an order: the contract accepts each order key once per campaign and buyer. */
export interface OrderRef {
  readonly campaignId: string;
  /** Lower case, like the key. */
  readonly buyer: Address;
  readonly orderKey: Hex;
}

/** The sale of an order; `undefined` if there is none at the settled block. */
export async function orderSale(
  { sql, head }: Snapshot,
  { campaignId, buyer, orderKey }: OrderRef,
): Promise<SaleView | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${saleColumns(sql)} from ledger.sale sale ${joinSale(sql, head)}
    where sale.buyer = ${buyer} and sale.order_key = ${orderKey}
      and sale.campaign_id = ${campaignId} and sale.block_number <= ${head.number}
    order by sale.block_number desc limit 1`;
  return row && saleView.decode(row);
}
