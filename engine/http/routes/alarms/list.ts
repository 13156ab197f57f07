import { z } from 'zod';
import { listAlarms } from '../../../db/read/alarms.ts';
import { requireOperator } from '../../auth/scopes.ts';
import { encodeCursor, placeOf } from '../../cursor.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';

const METHOD = 'alarms.list';
const Place = z.tuple([z.string().regex(/^[^\0\p{Surrogate}]{1,300}$/u)]);

/** `alarms.list`: in the order of their keys. */
export const list: Handler<'alarms.list'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT, state } = input;
  const place = placeOf(METHOD, input, Place);
  requireOperator(deps, session);
  const found = await listAlarms(deps.pool, { state, after: place?.[0], limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return {
    data: {
      items: items.map(({ since, acknowledged, ...alarm }) => ({
        ...alarm,
        since: since?.toISOString() ?? null,
        acknowledged: acknowledged && { ...acknowledged, at: acknowledged.at.toISOString() },
      })),
      nextCursor: last ? encodeCursor({ method: METHOD, input }, [last.key]) : null,
    },
  };
};
