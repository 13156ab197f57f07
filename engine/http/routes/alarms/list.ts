import { z } from 'zod';
import { listAlarms } from '../../../db/read/system/alarms.ts';
import { requireOperator } from '../../auth/scopes.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { decodeCursor, pageOf } from '../../input/cursor.ts';

const METHOD = 'alarms.list';
const Position = z.tuple([z.string().regex(/^[^\0\p{Surrogate}]{1,300}$/u)]);

/** `alarms.list`: in the order of their keys. */
export const list: Handler<'alarms.list'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT, state } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  requireOperator(deps, account);
  const found = await listAlarms(deps.pool, { state, after: position?.[0], limit: limit + 1 });
  const { items, nextCursor } = pageOf(found, limit, scope, (one) => [one.key]);
  return {
    data: {
      items: items.map(({ since, acknowledged, ...alarm }) => ({
        ...alarm,
        since: since?.toISOString() ?? null,
        acknowledged: acknowledged && { ...acknowledged, at: acknowledged.at.toISOString() },
      })),
      nextCursor,
    },
  };
};
