import type { Violation } from '../../audit/audit.ts';
import type { Sql } from '../../connection.ts';
import {
  as,
  date,
  hex,
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
