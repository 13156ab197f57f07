import { readOne } from '../../../db/read/one-read.ts';
import { recentSales } from '../../../db/read/sales/list.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { ListPage } from '../../input/cursor.ts';
import { salePage, salePosition } from '../../resources/receipts/sale-page.ts';

/** `receipts.recent`: sales of all campaigns, newest first. */
export const recent: Handler<'receipts.recent'> = async (input, { pool, deployment }) => {
  const list = new ListPage('receipts.recent', input, salePosition);
  const buyer = input.buyer && lowerAddress(input.buyer);
  const read = recentSales({ buyer, after: list.after, limit: list.limit });
  const { head, value } = await readOne(pool, read);
  return salePage(deployment, head, value, list);
};
