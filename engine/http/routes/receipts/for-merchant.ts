import { probeId } from '../../../db/ids.ts';
import { merchantSales } from '../../../db/read/sales/own.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { ListPage } from '../../input/cursor.ts';
import { lowerHash } from '../../input/hash.ts';
import { periodOf } from '../../input/period.ts';
import { merchantSaleOf } from '../../render/own-sale.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';
import { ownSalePage, salePosition } from '../../resources/receipts/sale-page.ts';

/** `receipts.forMerchant`: sales of all campaigns that the caller created. */
export const forMerchant: Handler<'receipts.forMerchant'> = async (input, deps, { merchant }) => {
  const { campaignId, state, buyer, orderKey } = input;
  const { transactionHash, nodeId, skuHash } = input;
  const list = new ListPage('receipts.forMerchant', input, salePosition);
  const { after, limit } = list;
  const filter = {
    merchant,
    campaignId,
    state,
    buyer: buyer && lowerAddress(buyer),
    range: periodOf(input.range),
    finalized: periodOf(input.finalized),
    changed: periodOf(input.changed),
    orderKey: orderKey && lowerHash(orderKey),
    transactionHash: transactionHash && lowerHash(transactionHash),
    nodeId: nodeId && probeId(nodeId),
    skuHash: skuHash && lowerHash(skuHash),
  };
  const isAscending = input.order === 'oldest';
  return await readLedger(deps.pool, async (snapshot) => {
    await requireOwnFilter(snapshot, campaignId, merchant);
    const page = await merchantSales(snapshot, filter, { after, limit, isAscending });
    return ownSalePage(deps.deployment, snapshot.head, page, list, merchantSaleOf);
  });
};
