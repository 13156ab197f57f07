import type { Hex } from '../../core/events.ts';
import type { Violation } from '../audit.ts';
import type { Pool } from '../connection.ts';

/** What an audit came to. */
export interface AuditResult {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly durationMs: number;
  readonly campaigns: number;
  readonly discrepancies: number;
  readonly violations: readonly Violation[];
}

/** Violations that are kept of an audit; all of them are counted. */
const VIOLATIONS_KEPT = 100;

/** Results that are kept: what is older tells nothing that the newest does not. */
const AUDITS_KEPT = 500;

/** Keeps an audit's result, and lets go of the oldest. */
export async function saveAudit(pool: Pool, result: AuditResult): Promise<void> {
  const kept = JSON.stringify(result.violations.slice(0, VIOLATIONS_KEPT));
  await pool.begin(async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      insert into ledger.audit (block_number, block_hash, block_timestamp, duration_ms, campaigns,
        discrepancies, violation_count, violations)
      values (${result.blockNumber}, ${result.blockHash}, ${result.blockTimestamp},
        ${result.durationMs}, ${result.campaigns}, ${result.discrepancies},
        ${result.violations.length}, ${kept}::text::jsonb)
      returning id`;
    await sql`delete from ledger.audit where id <= ${row?.id ?? '0'}::bigint - ${AUDITS_KEPT}`;
  });
}
