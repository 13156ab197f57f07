import { merchantSales } from '../../../db/read/sales/own.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { merchantSaleOf } from '../../render/own-sale.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';
import { ownSalePage, saleCursorOf } from '../../resources/receipts/sale-page.ts';

/** `receipts.forMerchant`: sales of all campaigns that the caller created, newest first. */
export const forMerchant: Handler<'receipts.forMerchant'> = async (input, deps, { session }) => {
  const { campaignId, state, buyer, range, limit = PAGE_LIMIT } = input;
  const scope = { method: 'receipts.forMerchant', input };
  const after = saleCursorOf(scope);
  const filter = {
    merchant: session.address,
    campaignId,
    state,
    buyer: buyer && lowerAddress(buyer),
    range: range && { from: Date.parse(range.from), to: Date.parse(range.to) },
  };
  return await readLedger(deps.pool, async (snapshot) => {
    await requireOwnFilter(snapshot, campaignId, session.address);
    const page = await merchantSales(snapshot, filter, { after, limit });
    return ownSalePage(deps.deployment, snapshot.head, page, scope, merchantSaleOf);
  });
};
