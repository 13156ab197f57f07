import { ordersOfKey as readOrders } from '../../../db/read/orders/by-key.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { lowerHash } from '../../input/hash.ts';
import { ordersOfKey } from '../../render/order.ts';

/** Maximum number of orders of one key in a response. */
const MAX_ORDERS = 100;

/** `orders.get`: what an order key became in campaigns of the caller. */
export const get: Handler<'orders.get'> = async (input, deps, { merchant }) => {
  const orderKey = lowerHash(input.orderKey);
  const filter = {
    merchant,
    orderKey,
    buyer: input.buyer && lowerAddress(input.buyer),
    campaignId: campaignFilter(input.campaignId),
  };
  return await readLedger(deps.pool, async (snapshot) => {
    const { head } = snapshot;
    const found = await readOrders(snapshot, filter, MAX_ORDERS);
    const items = ordersOfKey(deps.deployment, found, head).slice(0, MAX_ORDERS);
    if (items.length === 0) {
      throw notFound(`Nothing was ordered from you with the order key ${orderKey}.`);
    }
    const newest = Math.max(0, ...found.sales.map(({ sale }) => sale.newestBlock));
    const campaignIds = items.map(({ campaignId }) => campaignId);
    return {
      data: { orderKey, items },
      chain: chainMeta(deps.deployment, head, newest || head.number, campaignIds),
    };
  });
};
