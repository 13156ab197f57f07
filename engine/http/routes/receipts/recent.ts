import { readOne } from '../../../db/read/one-read.ts';
import { findSales } from '../../../db/read/sales/find-sales.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { periodOf } from '../../input/period.ts';
import { saleList, salePage } from '../../resources/receipts/sale-page.ts';

/** `receipts.recent`: sales of all campaigns that lists show. */
export const recent: Handler<'receipts.recent'> = async (input, { pool, deployment }) => {
  const { buyer, campaignId, state, range, paidMin, paidMax } = input;
  const { list, query } = saleList('receipts.recent', input);
  const filter = {
    buyer: buyer && lowerAddress(buyer),
    campaignId: campaignFilter(campaignId),
    state,
    range: periodOf(range),
    paidMin,
    paidMax,
  };
  const { head, value } = await readOne(pool, findSales(filter, query));
  return salePage(deployment, head, value, list);
};
