import { recentSales } from '../../../db/read/list-sales.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { salePage, salePlaceOf } from '../../sale-page.ts';

/** `receipts.recent`: sales of all campaigns, newest first. */
export const recent: Handler<'receipts.recent'> = async (input, { pool, deployment }) => {
  const scope = { method: 'receipts.recent', input };
  const after = salePlaceOf(scope);
  return await readLedger(pool, async (snapshot) => {
    const page = await recentSales(snapshot, { after, limit: input.limit ?? PAGE_LIMIT });
    return salePage(deployment, snapshot.head, page, scope);
  });
};
