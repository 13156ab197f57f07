import type { Address } from '../../../core/events.ts';
import type { StoredRow } from '../../row.ts';
import { inTransaction, matches, type SaleLookup } from '../sales/lookup.ts';
import { joinSale } from '../sales/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import { type OrderView, orderColumns, orderView } from './rows.ts';

/** Filters of a merchant's orders; `undefined` does not filter. */
export interface OrderFilter extends SaleLookup {
  readonly merchant: Address;
  readonly campaignId: string | undefined;
}

/** Position in the list of all orders: the last sale that was returned. */
export interface OrderPosition {
  readonly saleId: string;
  readonly campaignId: string;
}

/**
 * Orders of all campaigns of a merchant by sale id, lowest first: one statement. It reads a page of each
 * campaign by that campaign's index and keeps the first of all, so that the sales of others are never read.
 * @returns at most `limit` orders.
 */
export async function listOrders(
  { sql, head }: Snapshot,
  filter: OrderFilter,
  { after, limit }: { readonly after: OrderPosition | undefined; readonly limit: number },
): Promise<OrderView[]> {
  const { merchant, campaignId } = filter;
  const rows = await sql<StoredRow[]>`
    with picked as materialized (
      select one.campaign_id, one.sale_id from ledger.campaign owned cross join lateral (
        select sale.campaign_id, sale.sale_id from ledger.sale sale
        where sale.campaign_id = owned.campaign_id and sale.block_number <= ${head.number}
          ${matches(sql, sql`sale`, filter)} ${inTransaction(sql, filter, head)}
          ${after ? sql`and ${isAfter(sql, after)}` : sql``}
        order by sale.sale_id limit ${limit}
      ) one
      where owned.merchant = ${merchant} and owned.created_block <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and owned.campaign_id = ${campaignId}`}
      order by one.sale_id, one.campaign_id limit ${limit}
    )
    select ${orderColumns(sql)} from picked
    join ledger.sale sale
      on sale.campaign_id = picked.campaign_id and sale.sale_id = picked.sale_id
    ${joinSale(sql, head)}
    order by sale.sale_id, sale.campaign_id`;
  return rows.map(orderView.decode);
}

function isAfter(sql: Snapshot['sql'], { saleId, campaignId }: OrderPosition) {
  return sql`sale.sale_id >= ${saleId}::bigint
    and (sale.sale_id > ${saleId}::bigint or sale.campaign_id > ${campaignId}::bigint)`;
}
