import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportColumns } from '../../core/report.ts';
import {
  finishReport,
  giveUpReport,
  keepReport,
  type TakenReport,
  takeReport,
} from '../../db/commerce/report-jobs.ts';
import { reportBatches } from '../../db/read/reports/index.ts';
import { readConsistently, snapshotIn } from '../../db/read/snapshot.ts';
import type { JobContext } from '../context.ts';
import { TRIES_MOST } from '../queue.ts';
import { type FileCounts, stageReport } from './stage.ts';

/** Seconds that a worker may be silent before another takes its report up, and between its signs. */
const LEASE_SECONDS = 30;
const SIGN_SECONDS = 10;

/** Seconds that a file is kept: a week. */
const KEEP_SECONDS = 604_800;

/** Milliseconds that reading the rows may take: as long, the database can vacuum nothing. */
const READ_MS = 1_800_000;

const FAILED = `It could not be made in ${TRIES_MOST} tries: order it again, or a shorter range.`;

/**
 * Makes a report that is ordered, unless it is done or another worker is at it. A file is known by its
 * try: of two workers that both think it theirs, one hands its file over, and the other's is deleted.
 * @param signal ends it early, and leaves the report for another worker.
 * @throws what went wrong, so that the queue tries again.
 */
export async function makeReport(
  context: JobContext,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { pool, files, log, clock } = context;
  const report = await takeReport(pool, id, new Date(clock()), LEASE_SECONDS);
  if (report === undefined) return;
  const lease = holdLease(context, report);
  const folder = await mkdtemp(join(tmpdir(), 'tributary-report-'));
  try {
    const path = join(folder, 'report');
    const file = await readInto(context, report, path, AbortSignal.any([signal, lease.lost]));
    const fileKey = fileKeyOf(report);
    // Staged first, for a bucket wants to know the size before the first byte; and so the database
    // is let go of when the rows are read, however slow the storage is.
    await files
      .moveFromFs(path, fileKey, { contentLength: file.size })
      .catch(async (error: unknown) => {
        // A full disk may have taken a part of it, which nothing names.
        await files.delete(fileKey).catch(() => {});
        throw error;
      });
    const now = new Date(clock());
    const done = { ...file, fileKey };
    if (await finishReport(pool, report, done, { now, keepSeconds: KEEP_SECONDS })) {
      log.info({ report: id, rows: file.rows, size: file.size }, 'report made');
    } else {
      await files.delete(fileKey);
    }
  } catch (error) {
    // A worker that is told to stop says nothing about the report.
    const forGood = !signal.aborted && report.attempt >= TRIES_MOST;
    await giveUpReport(pool, report, new Date(clock()), forGood ? FAILED : null);
    throw error;
  } finally {
    lease.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folder of a report's files; a try that was cut short may have left one behind. */
export function folderOf(id: string): string {
  return `reports/${id}/`;
}

function fileKeyOf({ id, attempt, format }: TakenReport): string {
  return `${folderOf(id)}${attempt}.${format}`;
}

/** Writes the rows as of one settled block, out of one snapshot. */
async function readInto(
  { pool }: JobContext,
  report: TakenReport,
  path: string,
  signal: AbortSignal,
): Promise<FileCounts & { readonly blockNumber: number }> {
  const { kind, format } = report;
  const read = await readConsistently(
    pool,
    async (sql) => {
      const snapshot = await snapshotIn(sql);
      const batches = reportBatches(snapshot, kind, report);
      const contents = { columns: reportColumns[kind], batches, format };
      const counts = await stageReport(path, contents, signal);
      return { value: { ...counts, blockNumber: snapshot.head.number } };
    },
    READ_MS,
  );
  return read.value;
}

/** Gives a sign of life now and then, and says where the report is somebody else's by now. */
function holdLease(
  { pool, log, clock }: JobContext,
  report: TakenReport,
): { readonly lost: AbortSignal; end(): void } {
  const lost = new AbortController();
  const timer = setInterval(() => {
    keepReport(pool, report, new Date(clock()), LEASE_SECONDS).then(
      (kept) => kept || lost.abort(new Error(`Report ${report.id} is another worker’s by now.`)),
      (error: unknown) => log.warn({ err: error, report: report.id }, 'no sign of life was given'),
    );
  }, SIGN_SECONDS * 1_000);
  return { lost: lost.signal, end: () => clearInterval(timer) };
}
