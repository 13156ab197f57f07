import { z } from 'zod';
import { Id, Timestamp } from '../../../contract/values.ts';
import { listReports } from '../../../db/commerce/reports.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { reportOf } from '../../render/report.ts';

const METHOD = 'reports.list';
/** Creation time and id. */
const Position = z.tuple([Timestamp, Id]);

/** `reports.list`: the caller's reports, newest first. */
export const list: Handler<'reports.list'> = async (input, deps, { merchant }) => {
  const { kind, status, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input: { ...input, merchant } };
  const position = decodeCursor(scope, Position);
  const { items, next } = await listReports(
    deps.pool,
    merchant,
    { kind, status },
    {
      after: position && { createdAt: position[0], id: position[1] },
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
