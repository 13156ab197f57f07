import type { Hex } from '../../core/events.ts';
import type { Violation } from '../audit/audit.ts';
import type { Pool, Sql } from '../connection.ts';
import { address, id, nullable, rowCodec, text, type View } from '../row.ts';

/** Result of an audit. */
export interface AuditResult {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly durationMs: number;
  readonly campaigns: number;
  readonly discrepancies: number;
  readonly violations: readonly Violation[];
  readonly findings: readonly Finding[];
}

const finding = rowCodec({
  /** `null` if it is about a token and all its campaigns. */
  campaignId: nullable(id),
  /** `null` if it is about one campaign. */
  token: nullable(address),
  invariant: text,
  /** In decimal digits: violations of a campaign, or base units that are missing of a token. */
  level: text,
  sentence: text,
});

/** Finding of an audit about one campaign or one token: an alarm, until an audit no longer finds it. */
export type Finding = View<typeof finding>;

/** Maximum number of violations of an audit that are stored; all of them are counted. */
const MAX_VIOLATIONS = 100;

/** Maximum number of results that are stored. */
const MAX_AUDITS = 500;

/** Stores an audit's result, and deletes the oldest. */
export async function saveAudit(pool: Pool, result: AuditResult): Promise<void> {
  const violations = JSON.stringify(result.violations.slice(0, MAX_VIOLATIONS));
  await pool.begin(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into ledger.audit (block_number, block_hash, block_timestamp, duration_ms, campaigns,
        discrepancies, violation_count, violations)
      values (${result.blockNumber}, ${result.blockHash}, ${result.blockTimestamp},
        ${result.durationMs}, ${result.campaigns}, ${result.discrepancies},
        ${result.violations.length}, ${violations}::text::jsonb)
      returning id`;
    await sql`delete from ledger.audit where id <= ${row?.id ?? '0'}::bigint - ${MAX_AUDITS}`;
    await replaceFindings(sql, result.findings);
  });
}

/** A finding that the audit before had, too, keeps its time. */
async function replaceFindings(sql: Sql, findings: readonly Finding[]): Promise<void> {
  // One audit at a time: another one's findings would be mixed with these.
  await sql`lock table ledger.audit_finding in share row exclusive mode`;
  const rows = findings.map(finding.encode);
  await sql`
    create temporary table new_finding on commit drop as
    select campaign_id, token, invariant, level, sentence from json_populate_recordset(
      null::ledger.audit_finding, ${JSON.stringify(rows)}::text::json)`;
  await sql`
    delete from ledger.audit_finding old where not exists (
      select 1 from new_finding n where n.invariant = old.invariant
        and n.campaign_id is not distinct from old.campaign_id
        and n.token is not distinct from old.token
    )`;
  await sql`
    insert into ledger.audit_finding (campaign_id, token, invariant, level, sentence)
    select campaign_id, token, invariant, level, sentence from new_finding
    on conflict (coalesce(campaign_id, 0), coalesce(token, ''), invariant) do update
    set level = excluded.level, sentence = excluded.sentence`;
}
