import type { Violation } from '../../audit/audit.ts';
import type { Sql } from '../../connection.ts';
import {
  as,
  date,
  hex,
  id,
  integer,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  type View,
} from '../../row.ts';

const auditRow = rowCodec({
  blockNumber: integer,
  blockHash: hex,
  blockTimestamp: seconds,
  finishedAt: date,
  durationMs: small,
  campaigns: small,
  discrepancies: integer,
  /** Number of all violations; `violations` has the first of them. */
  violationCount: integer,
  violations: as<readonly Violation[]>(),
});

/** The newest result of the audit: columns of `ledger.audit`. */
export type LastAudit = View<typeof auditRow>;

/** The newest result of the audit; `undefined` before the first. */
export async function lastAudit(sql: Sql): Promise<LastAudit | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${auditRow.columns(sql, 'audit')} from ledger.audit order by id desc limit 1`;
  return row && auditRow.decode(row);
}

const numberedAudit = rowCodec({ id, ...auditRow.fields });

/** A stored audit, with its number. */
export type StoredAudit = View<typeof numberedAudit>;

/** Stored audits, newest first. @param before number of the last audit of the previous page. */
export async function listAudits(
  sql: Sql,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<StoredAudit[]> {
  const rows = await sql<StoredRow[]>`
    select ${numberedAudit.columns(sql, 'audit')} from ledger.audit
    ${before === undefined ? sql`` : sql`where id < ${before}::bigint`}
    order by id desc limit ${limit}`;
  return rows.map(numberedAudit.decode);
}
