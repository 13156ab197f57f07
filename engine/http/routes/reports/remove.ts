import { deleteReport } from '../../../db/commerce/reports.ts';
import { notFound } from '../../errors.ts';
import { removeFiles } from '../../files/store-upload.ts';
import type { Handler } from '../../handler-types.ts';

/**
 * `reports.remove`: deletes a report of the caller and its file. If a worker is making it, that worker finds
 * that it is gone, and deletes the file that it has made.
 */
export const remove: Handler<'reports.remove'> = async ({ id }, deps, { merchant }) => {
  const now = new Date(deps.clock());
  const deleted = await deleteReport(deps.pool, merchant, id, now);
  if (deleted === undefined) throw notFound(`You have no report ${id}.`);
  await removeFiles(deps, deleted.fileKey === null ? [] : [deleted.fileKey]);
  return { data: { ok: true } };
};
