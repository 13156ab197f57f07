import { buyerSales } from '../../../db/read/sales/own.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { ListPage } from '../../input/cursor.ts';
import { periodOf } from '../../input/period.ts';
import { purchaseOf } from '../../render/own-sale.ts';
import { ownSalePage, salePosition } from '../../resources/receipts/sale-page.ts';

/** `receipts.forBuyer`: purchases of the caller, newest first. */
export const forBuyer: Handler<'receipts.forBuyer'> = async (input, deps, { account }) => {
  const { campaignId, state } = input;
  const list = new ListPage('receipts.forBuyer', input, salePosition);
  const filter = { buyer: account, campaignId, state, range: periodOf(input.range) };
  return await readLedger(deps.pool, async (snapshot) => {
    const page = await buyerSales(snapshot, filter, list);
    return ownSalePage(deps.deployment, snapshot.head, page, list, purchaseOf);
  });
};
