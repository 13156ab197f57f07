import type { IntentState } from '../../../core/checkout.ts';
import type { Address, Hex } from '../../../core/events.ts';
import {
  address,
  amount,
  as,
  date,
  hex,
  id,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { joinOrder, type OwnSale, ownColumns, ownSaleView } from '../sales/own.ts';
import { joinSale } from '../sales/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const orderIntentRow = rowCodec({
  id: text,
  campaignId: id,
  buyer: address,
  /** `null` for a sale without a link. */
  nodeId: nullable(id),
  skuHash: hex,
  /** Base units: `buy` takes no more. */
  amount,
  /** As it was last reconciled with the chain. */
  state: as<IntentState>(),
  createdAt: date,
  updatedAt: date,
  expiresAt: date,
});

/** A purchase that a buyer began in a campaign of the merchant. */
export type OrderIntent = View<typeof orderIntentRow>;

/** Sales and intents of one order key. */
export interface OrdersOfKey {
  readonly sales: readonly OwnSale[];
  readonly intents: readonly OrderIntent[];
}

/** Which orders of a key are read; `undefined` does not filter. */
export interface OrderKeyFilter {
  readonly merchant: Address;
  /** Lower case, like the buyer. */
  readonly orderKey: Hex;
  readonly buyer: Address | undefined;
  readonly campaignId: string | undefined;
}

/**
 * Sales and intents of an order key in the campaigns of a merchant, oldest first: two statements. The buyer chooses
 * the key, so that it may occur once for each campaign and buyer.
 * @param limit maximum number of each.
 */
export async function ordersOfKey(
  { sql, head }: Snapshot,
  { merchant, orderKey, buyer, campaignId }: OrderKeyFilter,
  limit: number,
): Promise<OrdersOfKey> {
  const [sales, intents] = await Promise.all([
    sql<StoredRow[]>`
      select ${ownColumns(sql)} from ledger.sale sale ${joinSale(sql, head)} ${joinOrder(sql)}
      where sale.order_key = ${orderKey} and sale.block_number <= ${head.number}
        and campaign.merchant = ${merchant}
        ${buyer === undefined ? sql`` : sql`and sale.buyer = ${buyer}`}
        ${campaignId === undefined ? sql`` : sql`and sale.campaign_id = ${campaignId}`}
      order by sale.sale_id limit ${limit}`,
    sql<StoredRow[]>`
      select ${orderIntentRow.columns(sql, 'intent')} from commerce.checkout_intent intent
      join ledger.campaign campaign on campaign.campaign_id = intent.campaign_id
        and campaign.terms_hash = intent.terms_hash
      where intent.order_key = ${orderKey} and campaign.merchant = ${merchant}
        ${buyer === undefined ? sql`` : sql`and intent.buyer = ${buyer}`}
        ${campaignId === undefined ? sql`` : sql`and intent.campaign_id = ${campaignId}`}
      order by intent.created_at, intent.id limit ${limit}`,
  ]);
  return { sales: sales.map(ownSaleView.decode), intents: intents.map(orderIntentRow.decode) };
}
