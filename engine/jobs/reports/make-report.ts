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
import { MAX_TRIES } from '../../queue/job-queue.ts';
import type { JobContext } from '../context.ts';
import { type FileCounts, stageReport } from './stage.ts';

/** Seconds after which another worker takes over the report of a silent one, and between signs of life. */
const LEASE_SECONDS = 30;
const SIGN_SECONDS = 10;

/** Seconds that a file is stored: a week. */
const RETENTION_SECONDS = 604_800;

/** Milliseconds that reading the rows may take: meanwhile the database cannot vacuum. */
const READ_MS = 1_800_000;

const FAILED = `It could not be made in ${MAX_TRIES} tries: order it again, or a shorter range.`;

/**
 * Makes an ordered report, unless it is finished or another worker is making it. A file is named after
 * its attempt: if two workers both make it, one file becomes the report's and the other is deleted.
 * @param signal ends the attempt and leaves the report for another worker.
 * @throws any error, so that the queue retries.
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
    // Staged first: a bucket needs the size before the first byte, and slow storage must not prolong
    // the database transaction.
    await files
      .moveFromFs(path, fileKey, { contentLength: file.size })
      .catch(async (error: unknown) => {
        // A full disk may have stored a part of the file.
        await files.delete(fileKey).catch(() => {});
        throw error;
      });
    const now = new Date(clock());
    const done = { ...file, fileKey };
    if (await finishReport(pool, report, done, { now, keepSeconds: RETENTION_SECONDS })) {
      log.info({ report: id, rows: file.rows, size: file.size }, 'report made');
    } else {
      await files.delete(fileKey);
    }
  } catch (error) {
    // Stopping the worker says nothing about the report.
    const forGood = !signal.aborted && report.attempt >= MAX_TRIES;
    await giveUpReport(pool, report, new Date(clock()), forGood ? FAILED : null);
    throw error;
  } finally {
    lease.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Folder of a report's files, in which an interrupted attempt may have left one. */
export function folderOf(id: string): string {
  return `reports/${id}/`;
}

function fileKeyOf({ id, attempt, format }: TakenReport): string {
  return `${folderOf(id)}${attempt}.${format}`;
}

/** Writes the rows as of one settled block, from one database snapshot. */
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

/** Renews the lease of the report, and signals when another worker has taken it. */
function holdLease(
  { pool, log, clock }: JobContext,
  report: TakenReport,
): { readonly lost: AbortSignal; end(): void } {
  const lost = new AbortController();
  const timer = setInterval(() => {
    keepReport(pool, report, new Date(clock()), LEASE_SECONDS).then(
      (renewed) =>
        renewed ||
        lost.abort(new Error(`Report ${report.id} has been taken over by another worker.`)),
      (error: unknown) =>
        log.warn({ err: error, report: report.id }, 'the lease of a report was not renewed'),
    );
  }, SIGN_SECONDS * 1_000);
  return { lost: lost.signal, end: () => clearInterval(timer) };
}
