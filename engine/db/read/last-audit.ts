import type { Hex } from '../../core/events.ts';
import type { Violation } from '../audit.ts';
import type { Sql } from '../connection.ts';
import { toInteger } from './ids.ts';

/** The newest result of the audit. */
export interface LastAudit {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  readonly finishedAt: Date;
  readonly durationMs: number;
  readonly campaigns: number;
  readonly discrepancies: number;
  /** All of them; `violations` has the first. */
  readonly violationCount: number;
  readonly violations: readonly Violation[];
}

interface AuditRow {
  block_number: string;
  block_hash: Hex;
  block_timestamp: string;
  finished_at: Date;
  duration_ms: number;
  campaigns: number;
  discrepancies: string;
  violation_count: string;
  violations: Violation[];
}

/** @returns `undefined` before the first audit. */
export async function lastAudit(sql: Sql): Promise<LastAudit | undefined> {
  const [row] = await sql<AuditRow[]>`
    select block_number, block_hash, block_timestamp, finished_at, duration_ms, campaigns,
      discrepancies, violation_count, violations
    from ledger.audit order by id desc limit 1`;
  if (row === undefined) return undefined;
  return {
    blockNumber: toInteger(row.block_number),
    blockHash: row.block_hash,
    blockTimestamp: toInteger(row.block_timestamp),
    finishedAt: row.finished_at,
    durationMs: row.duration_ms,
    campaigns: row.campaigns,
    discrepancies: toInteger(row.discrepancies),
    violationCount: toInteger(row.violation_count),
    violations: row.violations,
  };
}
