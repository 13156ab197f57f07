import { findReport } from '../../../db/commerce/reports.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { reportOf } from '../../render/report.ts';

/** `reports.get`: a report of the caller. */
export const get: Handler<'reports.get'> = async ({ id }, deps, { merchant }) => {
  const report = await findReport(deps.pool, merchant, id, new Date(deps.clock()));
  if (report === undefined) throw notFound(`You have no report ${id}.`);
  return { data: reportOf(deps, report) };
};
