import type { Address } from '../../core/events.ts';
import type { ReportKind } from '../../core/report.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import type { Pool, Sql } from '../connection.ts';
import {
  address,
  as,
  date,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../row.ts';

export type ReportFormat = 'csv' | 'json';
export type ReportStatus = 'queued' | 'running' | 'ready' | 'failed' | 'expired';

const orderRow = rowCodec({
  id: text,
  /** Lower case. */
  merchant: address,
  kind: as<ReportKind>(),
  format: as<ReportFormat>(),
  /** `null` for all there was. */
  range: optional({ from: date.from('from_time'), to: date.from('to_time') }),
  /** Empty for all campaigns. */
  campaignIds: as<readonly string[]>(),
  createdAt: date,
});

/** A merchant's order of a report. */
export type ReportOrder = View<typeof orderRow>;

const reportRow = rowCodec({
  ...orderRow.fields,
  status: as<ReportStatus>(),
  rows: nullable(integer),
  /** Bytes. */
  size: nullable(integer),
  sha256: nullable(text),
  fileKey: nullable(text),
  error: nullable(text),
  finishedAt: nullable(date),
  expiresAt: nullable(date),
});

/** A report, and how far it has come. */
export type ReportRow = View<typeof reportRow>;

/** Maximum number of reports of one merchant that are queued or running. */
export const MAX_OPEN = 20;
/** Maximum number of reports of one merchant that are stored. */
export const MAX_STORED = 200;

/**
 * Stores an order, if the merchant has not reached a limit.
 * @returns `undefined` if it has too many in progress, or stored.
 */
export async function orderReport(pool: Pool, order: ReportOrder): Promise<ReportRow | undefined> {
  const { id, merchant, kind, format, range, campaignIds, createdAt } = order;
  return await pool.begin(async (sql) => {
    // Counting and adding are one step: two concurrent orders would both find the last place free.
    await sql`select pg_advisory_xact_lock(${advisoryLocks.reports}, hashtext(${merchant}))`;
    const [room] = await sql<{ open: string; stored: string }[]>`
      select count(*) filter (where status in ('queued', 'running')) as open, count(*) as stored
      from commerce.report where merchant = ${merchant} and status in ('queued', 'running', 'ready')`;
    if (Number(room?.open) >= MAX_OPEN || Number(room?.stored) >= MAX_STORED) return undefined;
    const [row] = await sql<StoredRow[]>`
      insert into commerce.report
        (id, merchant, kind, format, from_time, to_time, campaign_ids, created_at, changed_at)
      values (${id}, ${merchant}, ${kind}, ${format},
        ${range?.from.toISOString() ?? null}::timestamptz,
        ${range?.to.toISOString() ?? null}::timestamptz, ${[...campaignIds]}::bigint[],
        ${createdAt.toISOString()}::timestamptz, ${createdAt.toISOString()}::timestamptz)
      returning ${columns(sql, createdAt)}`;
    return row && reportRow.decode(row);
  });
}

/** Where a page of reports ended. */
export interface ReportPlace {
  /** ISO 8601, to the millisecond, as it is stored. */
  readonly createdAt: string;
  readonly id: string;
}

/** Reports of a merchant, newest first. */
export async function listReports(
  sql: Sql,
  merchant: Address,
  filter: { readonly kind?: ReportKind | undefined; readonly status?: ReportStatus | undefined },
  page: { readonly after: ReportPlace | undefined; readonly limit: number; readonly now: Date },
): Promise<{ items: ReportRow[]; next: ReportPlace | null }> {
  const { after, limit, now } = page;
  const rows = await sql<StoredRow[]>`
    select ${columns(sql, now)} from commerce.report
    where merchant = ${merchant} and status <> 'deleted'
      ${filter.kind === undefined ? sql`` : sql`and kind = ${filter.kind}`}
      ${filter.status === undefined ? sql`` : sql`and ${status(sql, now)} = ${filter.status}`}
      ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : sql``}
    order by created_at desc, id desc limit ${limit + 1}`;
  const items = rows.slice(0, limit).map(reportRow.decode);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? { createdAt: last.createdAt.toISOString(), id: last.id } : null };
}

/** A report of that merchant. */
export async function findReport(
  sql: Sql,
  merchant: Address,
  id: string,
  now: Date,
): Promise<ReportRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${columns(sql, now)} from commerce.report
    where id = ${id} and merchant = ${merchant} and status <> 'deleted'`;
  return row && reportRow.decode(row);
}

/**
 * Deletes a report of that merchant, whatever its status: no read finds it any more, and a worker that is making
 * it cannot finish it. The row stays until a chore has deleted every file of the report.
 * @returns its file, which may be deleted now; `undefined` if the merchant has no such report.
 */
export async function deleteReport(
  sql: Sql,
  merchant: Address,
  id: string,
  now: Date,
): Promise<{ readonly fileKey: string | null } | undefined> {
  const [row] = await sql<{ file_key: string | null }[]>`
    update commerce.report set status = 'deleted', lease_until = null,
      changed_at = ${now.toISOString()}::timestamptz
    where id = ${id} and merchant = ${merchant} and status <> 'deleted' returning file_key`;
  return row && { fileKey: row.file_key };
}

function columns(sql: Sql, now: Date) {
  return sql`id, merchant, kind, format, from_time, to_time, campaign_ids,
    ${status(sql, now)} as status, rows, size, sha256, file_key, error, created_at, finished_at,
    expires_at`;
}

/** An expired file is gone immediately, whenever it is deleted. */
function status(sql: Sql, now: Date) {
  return sql`case when status = 'ready' and expires_at <= ${now.toISOString()}::timestamptz
    then 'expired' else status end`;
}
