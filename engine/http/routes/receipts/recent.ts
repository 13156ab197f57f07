import { readOne } from '../../../db/read/one-read.ts';
import { recentSales } from '../../../db/read/sales/list.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { saleCursorOf, salePage } from '../../resources/receipts/sale-page.ts';

/** `receipts.recent`: sales of all campaigns, newest first. */
export const recent: Handler<'receipts.recent'> = async (input, { pool, deployment }) => {
  const scope = { method: 'receipts.recent', input };
  const after = saleCursorOf(scope);
  const read = recentSales({ buyer: input.buyer, after, limit: input.limit ?? PAGE_LIMIT });
  const { head, value } = await readOne(pool, read);
  return salePage(deployment, head, value, scope);
};
