import { ledgerId, probeId } from '../../../db/ids.ts';
import type { SaleName } from '../../../db/read/sales/named.ts';
import { merchantSales } from '../../../db/read/sales/own.ts';
import { hexRange } from '../../../db/read/search/find.ts';
import { readSearchText } from '../../../db/read/search/text.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { ADDRESS_LENGTH, hexPrefix, lowerHash } from '../../input/hash.ts';
import { periodOf } from '../../input/period.ts';
import { merchantSaleOf } from '../../render/own-sale.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';
import { ownSalePage, saleList } from '../../resources/receipts/sale-page.ts';

/** `receipts.forMerchant`: sales of all campaigns that the caller created. */
export const forMerchant: Handler<'receipts.forMerchant'> = async (input, deps, { merchant }) => {
  const { campaignId, state, buyer, orderKey } = input;
  const { transactionHash, nodeId, skuHash } = input;
  const { list, query } = saleList('receipts.forMerchant', input);
  const filter = {
    merchant,
    campaignId,
    state,
    named: input.q === undefined ? undefined : saleNameOf(input.q),
    paidMin: input.paidMin,
    paidMax: input.paidMax,
    buyer: buyer && lowerAddress(buyer),
    range: periodOf(input.range),
    finalized: periodOf(input.finalized),
    changed: periodOf(input.changed),
    orderKey: orderKey && lowerHash(orderKey),
    transactionHash: transactionHash && lowerHash(transactionHash),
    nodeId: nodeId && probeId(nodeId),
    skuHash: skuHash && lowerHash(skuHash),
  };
  return await readLedger(deps.pool, async (snapshot) => {
    await requireOwnFilter(snapshot, campaignId, merchant);
    const page = await merchantSales(snapshot, filter, query);
    return ownSalePage(deps.deployment, snapshot.head, page, list, merchantSaleOf);
  });
};

/** Id that no sale has. */
const NO_SALE = '-1';

/** Reads what a merchant typed to find sales. */
function saleNameOf(typed: string): SaleName {
  const q = typed.trim();
  const [, number] = /^#?([0-9]{1,78})$/.exec(q) ?? [];
  if (number !== undefined) return { saleId: ledgerId(number) ?? NO_SALE };
  const hex = hexPrefix(q);
  if (hex !== undefined) {
    const addresses = hex.length <= ADDRESS_LENGTH ? hexRange(hex, 20) : undefined;
    return { hashes: hexRange(hex, 32), addresses };
  }
  const words = readSearchText(q);
  return words === undefined ? { saleId: NO_SALE } : { words };
}
