import { z } from 'zod';
import { readOne } from '../../../db/read/one-read.ts';
import { tokenTotalsRead } from '../../../db/read/token-totals.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { decodeCursor, pageOf } from '../../input/cursor.ts';
import { tokenTotals } from '../../render/token-totals.ts';

const METHOD = 'tokens.list';
const Position = z.tuple([z.string().regex(/^0x[0-9a-f]{40}$/)]);

/** `tokens.list`: tokens of all campaigns, by address. */
export const list: Handler<'tokens.list'> = async (input, { pool, deployment }) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const after = decodeCursor(scope, Position)?.[0];
  const { head, value } = await readOne(pool, tokenTotalsRead({ after, limit: limit + 1 }));
  const { items, nextCursor } = pageOf(value, limit, scope, ({ token }) => [token.address]);
  const data = items.map((totals) => tokenTotals(deployment.chainId, totals));
  return { data: { items: data, nextCursor }, chain: chainMeta(deployment, head) };
};
