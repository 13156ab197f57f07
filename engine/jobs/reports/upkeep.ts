import { retention } from '../../core/retention.ts';
import {
  deletedReports,
  forgetReport,
  markExpired,
  oldReports,
  reportsToExpire,
  strandedReports,
} from '../../db/commerce/report-jobs.ts';
import type { JobContext } from '../context.ts';
import { folderOf } from './make-report.ts';

/** Seconds that a report waits before it is queued again. */
const WAITED_SECONDS = 60;

/** Seconds that a report without a file stays in the list. */
const REMEMBER_SECONDS = retention['reports.forget'].days * 86_400;

/** Seconds within which a worker has stored its file, or has found that its report is deleted: an hour. */
const STORING_SECONDS = 3_600;

/** Queues reports again that the queue has lost or whose worker died. */
export async function pushStrandedReports({ pool, queue, clock, log }: JobContext): Promise<void> {
  const ids = await strandedReports(pool, new Date(clock()), WAITED_SECONDS);
  for (const id of ids) await queue.pushReport(id);
  if (ids.length > 0) log.warn({ reports: ids.length }, 'stranded reports were queued again');
}

/** Deletes the files of expired reports. */
export async function expireReports(context: JobContext): Promise<void> {
  const { pool, files, clock } = context;
  const now = new Date(clock());
  await forEach(context, await reportsToExpire(pool, now), async (id) => {
    // Deleted first, so that a failure is retried. No list offers the report meanwhile.
    await files.deleteAll(folderOf(id));
    await markExpired(pool, id, now);
  });
}

/** Removes reports that expired or failed long ago, with the files that attempts left. */
export async function deleteOldReports(context: JobContext): Promise<void> {
  const { pool, clock } = context;
  await forget(context, await oldReports(pool, new Date(clock()), REMEMBER_SECONDS));
}

/** Removes reports that their merchants deleted, with the files that attempts left. */
export async function removeDeletedReports(context: JobContext): Promise<void> {
  const { pool, clock } = context;
  await forget(context, await deletedReports(pool, new Date(clock()), STORING_SECONDS));
}

async function forget(context: JobContext, ids: readonly string[]): Promise<void> {
  const { pool, files } = context;
  await forEach(context, ids, async (id) => {
    await files.deleteAll(folderOf(id));
    await forgetReport(pool, id);
  });
}

/** Acts on each report; an error is logged and does not stop the others. */
async function forEach(
  { log }: JobContext,
  ids: readonly string[],
  act: (id: string) => Promise<void>,
): Promise<void> {
  for (const id of ids) {
    try {
      await act(id);
    } catch (error) {
      log.error({ err: error, report: id }, 'a report could not be removed');
    }
  }
}
