import type { Address } from '../../core/events.ts';
import type { ReportKind } from '../../core/report.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import type { Pool, Sql } from '../connection.ts';
import { toIntegerOrNull } from '../ids.ts';

export type ReportFormat = 'csv' | 'json';
export type ReportStatus = 'queued' | 'running' | 'ready' | 'failed' | 'expired';

/** A merchant's order of a report. */
export interface ReportOrder {
  readonly id: string;
  /** Lower case. */
  readonly merchant: Address;
  readonly kind: ReportKind;
  readonly format: ReportFormat;
  /** `null` for all there was. */
  readonly range: { readonly from: Date; readonly to: Date } | null;
  /** Empty for all campaigns. */
  readonly campaignIds: readonly string[];
  readonly createdAt: Date;
}

/** A report, and how far it has come. */
export interface ReportRow extends ReportOrder {
  readonly status: ReportStatus;
  readonly rows: number | null;
  /** Bytes. */
  readonly size: number | null;
  readonly sha256: string | null;
  readonly fileKey: string | null;
  readonly error: string | null;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** Most reports of one merchant that are queued or running. */
export const MAX_OPEN = 20;
/** Most reports of one merchant that are stored. */
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
    const [room] = await sql<{ open: string; kept: string }[]>`
      select count(*) filter (where status in ('queued', 'running')) as open, count(*) as kept
      from commerce.report where merchant = ${merchant} and status in ('queued', 'running', 'ready')`;
    if (Number(room?.open) >= MAX_OPEN || Number(room?.kept) >= MAX_STORED) return undefined;
    const [row] = await sql<Row[]>`
      insert into commerce.report
        (id, merchant, kind, format, from_time, to_time, campaign_ids, created_at, changed_at)
      values (${id}, ${merchant}, ${kind}, ${format},
        ${range?.from.toISOString() ?? null}::timestamptz,
        ${range?.to.toISOString() ?? null}::timestamptz, ${[...campaignIds]}::bigint[],
        ${createdAt.toISOString()}::timestamptz, ${createdAt.toISOString()}::timestamptz)
      returning ${columns(sql, createdAt)}`;
    return row && reportOf(row);
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
  const rows = await sql<Row[]>`
    select ${columns(sql, now)} from commerce.report
    where merchant = ${merchant}
      ${filter.kind === undefined ? sql`` : sql`and kind = ${filter.kind}`}
      ${filter.status === undefined ? sql`` : sql`and ${status(sql, now)} = ${filter.status}`}
      ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id})` : sql``}
    order by created_at desc, id desc limit ${limit + 1}`;
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(reportOf),
    next: last ? { createdAt: last.created_at.toISOString(), id: last.id } : null,
  };
}

/** A report of that merchant. */
export async function findReport(
  sql: Sql,
  merchant: Address,
  id: string,
  now: Date,
): Promise<ReportRow | undefined> {
  const [row] = await sql<Row[]>`
    select ${columns(sql, now)} from commerce.report where id = ${id} and merchant = ${merchant}`;
  return row && reportOf(row);
}

interface Row {
  id: string;
  merchant: Address;
  kind: ReportKind;
  format: ReportFormat;
  from_time: Date | null;
  to_time: Date | null;
  campaign_ids: string[];
  status: ReportStatus;
  rows: string | null;
  size: string | null;
  sha256: string | null;
  file_key: string | null;
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
  expires_at: Date | null;
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

function reportOf(row: Row): ReportRow {
  const { from_time: from, to_time: to } = row;
  return {
    id: row.id,
    merchant: row.merchant,
    kind: row.kind,
    format: row.format,
    range: from === null || to === null ? null : { from, to },
    campaignIds: row.campaign_ids.map(String),
    status: row.status,
    rows: toIntegerOrNull(row.rows),
    size: toIntegerOrNull(row.size),
    sha256: row.sha256,
    fileKey: row.file_key,
    error: row.error,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
  };
}
