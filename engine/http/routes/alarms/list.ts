import { z } from 'zod';
import { listAlarms } from '../../../db/read/system/alarms.ts';
import { requireOperator } from '../../auth/scopes.ts';
import type { Handler } from '../../handler-types.ts';
import { ListPage, mapItems } from '../../input/cursor.ts';

const position = { key: z.string().regex(/^[^\0\p{Surrogate}]{1,300}$/u) };

/** `alarms.list`: in the order of their keys. */
export const list: Handler<'alarms.list'> = async (input, deps, { account }) => {
  const page = new ListPage('alarms.list', input, position);
  const { after, limit } = page.query;
  requireOperator(deps, account);
  const found = await listAlarms(deps.pool, { state: input.state, after: after?.key, limit });
  return {
    data: mapItems(page.of(found), ({ since, acknowledged, ...alarm }) => ({
      ...alarm,
      since: since?.toISOString() ?? null,
      acknowledged: acknowledged && { ...acknowledged, at: acknowledged.at.toISOString() },
    })),
  };
};
