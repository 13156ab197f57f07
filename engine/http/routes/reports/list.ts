import { z } from 'zod';
import { Id, Timestamp } from '../../../contract/values.ts';
import { listReports } from '../../../db/commerce/reports.ts';
import { encodeCursor, placeOf } from '../../cursor.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { reportOf } from '../../render/report.ts';

const METHOD = 'reports.list';
/** When it was ordered, and its id. */
const Place = z.tuple([Timestamp, Id]);

/** `reports.list`: what the caller ordered, newest first. */
export const listOwnReports: Handler<'reports.list'> = async (input, deps, { session }) => {
  const { kind, status, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input: { ...input, account: session.address } };
  const place = placeOf(METHOD, scope.input, Place);
  const { items, next } = await listReports(
    deps.pool,
    session.address,
    { kind, status },
    {
      after: place && { createdAt: place[0], id: place[1] },
      limit,
      now: new Date(deps.clock()),
    },
  );
  return {
    data: {
      items: items.map((report) => reportOf(deps, report)),
      nextCursor: next && encodeCursor(scope, [next.createdAt, next.id]),
    },
  };
};
