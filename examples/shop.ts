import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Sql } from 'postgres';
import {
  type Client,
  verifyWebhook,
  type WebhookMessage,
  WebhookVerificationError,
} from '../engine/client/index.ts';

/** A shop: its database, a client with its API key, its campaign, and its webhook secret. */
export type Shop = { sql: Sql; api: Client; campaignId: string; secret: string };
type EventData = WebhookMessage['data'];

/** States: waiting, shipped, stopped (by a dispute), retracted (by a reorg). */
export const createTable = (sql: Sql) => sql`
  create table shop_order (
    buyer text, order_key text, primary key (buyer, order_key), sale_id text not null,
    event_id text not null, product text not null, state text not null default 'waiting')`;

/** Receives webhooks. Any status except 2xx makes the service repeat the delivery. */
export function shopServer(shop: Shop) {
  return createServer(async (request, response) => {
    try {
      const { headers } = request;
      const { type, data } = await verifyWebhook(
        { headers, body: await text(request) },
        shop.secret,
      );
      if (data.campaignId === shop.campaignId) await handlers[type]?.(shop, data);
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
    }
  });
}

const handlers: Record<string, (shop: Shop, data: EventData) => Promise<unknown>> = {
  'sale.recorded': addOrder,
  'sale.recorded.retracted': ({ sql }, { retracts }) => sql`
    update shop_order set state = 'retracted' where event_id = ${retracts} and state = 'waiting'`,
  'dispute.opened': answerDispute,
};

/** Stores the order of a sale, which the receipt describes. The second time, it changes nothing. */
async function addOrder({ sql, api }: Shop, { eventId, saleId, chain }: EventData) {
  if (saleId === null || chain === null) throw new Error('The event names no sale.');
  const { chainId, blockNumber } = chain;
  const { data: sale } = await api.receipts.get({ chainId, saleId, atBlock: blockNumber });
  if (sale.record.blockHash !== chain.blockHash) return; // A reorg: a retraction follows.
  await sql`
    insert into shop_order (buyer, order_key, sale_id, event_id, product)
    values (${sale.buyer}, ${sale.orderKey}, ${saleId}, ${eventId}, ${sale.product.title})
    on conflict (buyer, order_key) do update set sale_id = ${saleId}, event_id = ${eventId},
      state = case shop_order.state when 'retracted' then 'waiting' else shop_order.state end`;
}

/** Declines if the order was shipped; otherwise stops it and promises the refund. */
async function answerDispute({ sql, api }: Shop, { eventId, subjectId: id }: EventData) {
  if (id === null) throw new Error('The event names no dispute.');
  const { data: dispute } = await api.disputes.get({ id });
  if (dispute.status !== 'open') return;
  const [order] = await sql`
    update shop_order set state = case state when 'shipped' then 'shipped' else 'stopped' end
    where buyer = ${dispute.buyer} and sale_id = ${dispute.saleId} returning state`;
  if (order === undefined) throw new Error('The sale is not here yet: the dispute comes again.');
  const answer =
    order.state === 'shipped'
      ? ({ response: 'decline', reason: 'The order was shipped.' } as const)
      : ({ response: 'message', message: 'We stopped the order and will refund it.' } as const);
  await api.disputes.respond({ id, ...answer }, { idempotencyKey: eventId });
}

/** Ships what waits. After a crash, `ship` may get an order again: it must recognize the order key. */
export async function shipOrders({ sql }: Shop, ship: (orderKey: string) => Promise<void>) {
  await sql.begin(async (tx) => {
    const orders = await tx`select * from shop_order where state = 'waiting' for update`;
    for (const { buyer, order_key: orderKey } of orders) {
      await ship(orderKey);
      await tx`
        update shop_order set state = 'shipped' where buyer = ${buyer} and order_key = ${orderKey}`;
    }
  });
}
