import { Id, Timestamp } from '../../../contract/values.ts';
import { listReports } from '../../../db/commerce/reports.ts';
import type { Handler } from '../../handler-types.ts';
import { ListPage } from '../../input/cursor.ts';
import { reportOf } from '../../render/report.ts';

const position = { createdAt: Timestamp, id: Id };

/** `reports.list`: the caller's reports, newest first. */
export const list: Handler<'reports.list'> = async (input, deps, { merchant }) => {
  const { kind, status } = input;
  const page = new ListPage('reports.list', { ...input, merchant }, position);
  const { items, next } = await listReports(
    deps.pool,
    merchant,
    { kind, status },
    {
      after: page.after,
      limit: page.limit,
      now: new Date(deps.clock()),
    },
  );
  return {
    data: {
      items: items.map((report) => reportOf(deps, report)),
      nextCursor: page.cursor(next),
    },
  };
};
