import { buyerSales } from '../../../db/read/sales/own.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { periodOf } from '../../input/period.ts';
import { purchaseOf } from '../../render/own-sale.ts';
import { ownSalePage, saleCursorOf } from '../../resources/receipts/sale-page.ts';

/** `receipts.forBuyer`: purchases of the caller, newest first. */
export const forBuyer: Handler<'receipts.forBuyer'> = async (input, deps, { account }) => {
  const { campaignId, state, limit = PAGE_LIMIT } = input;
  const scope = { method: 'receipts.forBuyer', input };
  const after = saleCursorOf(scope);
  const filter = { buyer: account, campaignId, state, range: periodOf(input.range) };
  return await readLedger(deps.pool, async (snapshot) => {
    const page = await buyerSales(snapshot, filter, { after, limit });
    return ownSalePage(deps.deployment, snapshot.head, page, scope, purchaseOf);
  });
};
