import type { z } from 'zod';
import type { OrderChange as OrderItem, OrdersOfKey } from '../../contract/shapes/order.ts';
import { fulfils } from '../../core/checkout.ts';
import type { OrdersOfKey as FoundOrders, OrderIntent } from '../../db/read/orders/by-key.ts';
import type { OrderChange } from '../../db/read/orders/changes.ts';
import type { OrderView } from '../../db/read/orders/rows.ts';
import type { OwnSale } from '../../db/read/sales/own.ts';
import type { ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { merchantSaleOf } from './own-sale.ts';

type Item = z.infer<typeof OrderItem>;
type OrderOfKey = z.infer<typeof OrdersOfKey>['items'][number];

/** Order as the backend of its merchant follows it. */
export function orderOf(deployment: ServedDeployment, order: OrderView, head: ReadHead): Item {
  const own = { ...order, dispute: null, hasDetails: false };
  const { dispute: _none, hasDetails: _no, ...sale } = merchantSaleOf(deployment, own, head);
  return { ...sale, retracted: false };
}

/** Order that changed, or its retraction. */
export function orderChangeOf(
  deployment: ServedDeployment,
  { order, saleId, campaignId, removed }: OrderChange,
  head: ReadHead,
): Item {
  if (order !== null) return orderOf(deployment, order, head);
  return { retracted: true, saleId, campaignId, ...removed };
}

/** Sales and intents of an order key, brought together by campaign and buyer. */
export function ordersOfKey(
  deployment: ServedDeployment,
  { sales, intents }: FoundOrders,
  head: ReadHead,
): OrderOfKey[] {
  const nameOf = ({ campaignId, buyer }: { campaignId: string; buyer: string }) =>
    `${campaignId} ${buyer}`;
  const intentOf = new Map(intents.map((intent) => [nameOf(intent), intent]));
  const sold = new Set(sales.map(({ sale }) => nameOf(sale)));
  return [
    ...sales.map((own) => ({
      campaignId: own.sale.campaignId,
      buyer: own.sale.buyer,
      sale: merchantSaleOf(deployment, own, head),
      intent: intentState(intentOf.get(nameOf(own.sale)), own),
    })),
    ...intents
      .filter((intent) => !sold.has(nameOf(intent)))
      .map((intent) => ({
        campaignId: intent.campaignId,
        buyer: intent.buyer,
        sale: null,
        intent: intentState(intent, undefined),
      })),
  ];
}

/** Intent as its merchant sees it: a sale in the ledger decides its state. */
function intentState(
  intent: OrderIntent | undefined,
  own: OwnSale | undefined,
): OrderOfKey['intent'] {
  if (intent === undefined) return null;
  const { campaignId: _campaign, buyer: _buyer, ...fields } = intent;
  const bought = own && (fulfils(own.sale, intent) ? 'confirmed' : 'failed');
  return {
    ...fields,
    state: bought ?? intent.state,
    amount: intent.amount.toString(),
    createdAt: intent.createdAt.toISOString(),
    updatedAt: intent.updatedAt.toISOString(),
    expiresAt: intent.expiresAt.toISOString(),
  };
}
