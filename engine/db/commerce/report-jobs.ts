import type { ReportKind } from '../../core/report.ts';
import type { Pool, Sql } from '../connection.ts';
import {
  address,
  as,
  optional,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  text,
  type View,
} from '../row.ts';
import type { ReportFormat } from './reports.ts';

const takenRow = rowCodec({
  id: text,
  /** From 1. Only the newest may finish the report. */
  attempt: small,
  merchant: address,
  kind: as<ReportKind>(),
  format: as<ReportFormat>(),
  /** Unix seconds; `null` for all there was. */
  range: optional({ from: seconds.from('from_seconds'), to: seconds.from('to_seconds') }),
  campaignIds: as<readonly string[]>(),
});

/** A report that a worker took up, and the try that it is. */
export type TakenReport = View<typeof takenRow>;

/**
 * Takes up a report that waits, or whose worker has been silent for longer than its lease.
 * @returns `undefined` where there is nothing to do: somebody else has it, or it is done.
 */
export async function takeReport(
  sql: Sql,
  id: string,
  now: Date,
  leaseSeconds: number,
): Promise<TakenReport | undefined> {
  const [row] = await sql<StoredRow[]>`
    update commerce.report set status = 'running', attempt = attempt + 1,
      lease_until = ${until(now, leaseSeconds)}::timestamptz,
      changed_at = ${now.toISOString()}::timestamptz
    where id = ${id} and (
      status = 'queued' or (status = 'running' and lease_until <= ${now.toISOString()}::timestamptz)
    )
    returning id, attempt, merchant, kind, format, campaign_ids,
      -- A moment within a second begins with the next whole one: blocks know no parts of seconds.
      ceil(extract(epoch from from_time))::bigint as from_seconds,
      ceil(extract(epoch from to_time))::bigint as to_seconds`;
  return row && takenRow.decode(row);
}

/**
 * Says that the worker of a try still lives.
 * @returns whether the report is still its own.
 */
export async function keepReport(
  sql: Sql,
  { id, attempt }: TakenReport,
  now: Date,
  leaseSeconds: number,
): Promise<boolean> {
  const rows = await sql`
    update commerce.report set lease_until = ${until(now, leaseSeconds)}::timestamptz
    where id = ${id} and attempt = ${attempt} and status = 'running' returning id`;
  return rows.length > 0;
}

/** A file that was made. */
export interface ReportFile {
  /** The settled block that it is as of. */
  readonly blockNumber: number;
  readonly rows: number;
  /** Bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly fileKey: string;
}

/**
 * Publishes the file of a report.
 * @returns true if the attempt still owned the report; otherwise the file must be deleted.
 */
export async function finishReport(
  sql: Sql,
  { id, attempt }: TakenReport,
  file: ReportFile,
  { now, keepSeconds }: { readonly now: Date; readonly keepSeconds: number },
): Promise<boolean> {
  const rows = await sql`
    update commerce.report set status = 'ready', lease_until = null, error = null,
      block_number = ${file.blockNumber}, rows = ${file.rows}, size = ${file.size},
      sha256 = ${file.sha256}, file_key = ${file.fileKey},
      finished_at = ${now.toISOString()}::timestamptz,
      changed_at = ${now.toISOString()}::timestamptz,
      expires_at = ${until(now, keepSeconds)}::timestamptz
    where id = ${id} and attempt = ${attempt} and status = 'running' returning id`;
  return rows.length > 0;
}

/**
 * Gives a try up.
 * @param error a sentence where the report has failed for good; `null` where it waits for another try.
 */
export async function giveUpReport(
  sql: Sql,
  { id, attempt }: TakenReport,
  now: Date,
  error: string | null,
): Promise<void> {
  const status = error === null ? 'queued' : 'failed';
  const finishedAt = error === null ? null : now.toISOString();
  await sql`
    update commerce.report set status = ${status}, lease_until = null, error = ${error},
      finished_at = ${finishedAt}::timestamptz, changed_at = ${now.toISOString()}::timestamptz
    where id = ${id} and attempt = ${attempt} and status = 'running'`;
}

/** Reports that are looked after in one go. */
const BATCH = 1_000;

/**
 * Reports that no worker processes: the queue may have lost them, or their worker died.
 * @param waitedSeconds reports that were queued more recently than this are still in the queue.
 */
export async function strandedReports(
  sql: Sql,
  now: Date,
  waitedSeconds: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from commerce.report
    where (status = 'queued' and changed_at <= ${until(now, -waitedSeconds)}::timestamptz)
      or (status = 'running' and lease_until <= ${now.toISOString()}::timestamptz)
    order by changed_at limit ${BATCH}`;
  return rows.map(({ id }) => id);
}

/** Ready reports whose time is up, to take their files away. */
export async function reportsToExpire(sql: Sql, now: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from commerce.report
    where status = 'ready' and expires_at <= ${now.toISOString()}::timestamptz
    order by expires_at limit ${BATCH}`;
  return rows.map(({ id }) => id);
}

export async function markExpired(sql: Sql, id: string, now: Date): Promise<void> {
  await sql`
    update commerce.report set status = 'expired', changed_at = ${now.toISOString()}::timestamptz
    where id = ${id} and status = 'ready'`;
}

/** Reports that failed or expired so long ago that they can be deleted. */
export async function oldReports(sql: Sql, now: Date, keepSeconds: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from commerce.report
    where status in ('failed', 'expired') and created_at <= ${until(now, -keepSeconds)}::timestamptz
    order by created_at limit ${BATCH}`;
  return rows.map(({ id }) => id);
}

/**
 * Reports that their merchants deleted.
 * @param waitedSeconds those that were deleted more recently may still have a worker.
 */
export async function deletedReports(
  sql: Sql,
  now: Date,
  waitedSeconds: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from commerce.report
    where status = 'deleted' and changed_at <= ${until(now, -waitedSeconds)}::timestamptz
    order by changed_at limit ${BATCH}`;
  return rows.map(({ id }) => id);
}

/** Removes the row of a report whose files are gone. */
export async function forgetReport(pool: Pool, id: string): Promise<void> {
  await pool`
    delete from commerce.report
    where id = ${id} and status in ('failed', 'expired', 'deleted')`;
}

function until(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1_000).toISOString();
}
