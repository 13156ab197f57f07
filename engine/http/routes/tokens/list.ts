import { readOne } from '../../../db/read/one-read.ts';
import { tokenTotalsRead } from '../../../db/read/token-totals.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorAddress, ListPage, mapItems } from '../../input/cursor.ts';
import { tokenTotals } from '../../render/token-totals.ts';

/** `tokens.list`: tokens of all campaigns, by address. */
export const list: Handler<'tokens.list'> = async (input, { pool, deployment }) => {
  const page = new ListPage('tokens.list', input, { address: cursorAddress });
  const { after, limit } = page.query;
  const { head, value } = await readOne(pool, tokenTotalsRead({ after: after?.address, limit }));
  const rows = page.of(value, ({ token: { address } }) => ({ address }));
  const data = mapItems(rows, (totals) => tokenTotals(deployment.chainId, totals));
  return { data, chain: chainMeta(deployment, head) };
};
