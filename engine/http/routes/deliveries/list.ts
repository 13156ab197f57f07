import { type DeliveryRow, deliveries } from '../../../db/read/orders/deliveries.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { openDetails } from '../../../secrets/buyer-details.ts';
import type { SecretKeys } from '../../../secrets/keys.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorMicroseconds, cursorOwnId, ListPage } from '../../input/cursor.ts';
import { isoTime } from '../../render/time.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';

const position = { givenAt: cursorMicroseconds, id: cursorOwnId };

/** `deliveries.list`: the details that buyers gave with orders that were paid. */
export const list: Handler<'deliveries.list'> = async (input, deps, { merchant }) => {
  const { saleId, campaignId } = input;
  const page = new ListPage('deliveries.list', { ...input, merchant }, position);
  return await readLedger(deps.pool, async (snapshot) => {
    await requireOwnFilter(snapshot, campaignId, merchant);
    const { items, next } = await deliveries(snapshot, { merchant, saleId, campaignId }, page);
    const { head } = snapshot;
    return {
      data: {
        items: items.map((row) => delivery(row, deps.keys)),
        nextCursor: page.cursor(next),
      },
      chain: chainMeta(
        deps.deployment,
        head,
        head.number,
        items.map((item) => item.campaignId),
      ),
    };
  });
};

function delivery(row: DeliveryRow, keys: SecretKeys) {
  const details = openDetails(row, keys);
  return {
    saleId: row.saleId,
    campaignId: row.campaignId,
    buyer: row.buyer,
    orderKey: row.orderKey,
    skuHash: row.skuHash,
    title: row.title,
    amount: row.amount.toString(),
    token: { symbol: row.symbol, decimals: row.decimals },
    recordedAt: isoTime(row.recordedAt),
    email: details?.email ?? null,
    address: details?.address ?? null,
    note: details?.note ?? null,
    givenAt: row.givenAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    readable: details !== null,
  };
}
