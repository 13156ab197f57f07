import type { z } from 'zod';
import type { LedgerAudit } from '../../contract/shapes/ledger-audit.ts';
import type { LastAudit } from '../../db/read/system/audits.ts';
import { isoTime } from './time.ts';

export function ledgerAudit(found: LastAudit): z.infer<typeof LedgerAudit> {
  const { discrepancies, violationCount } = found;
  return {
    ok: discrepancies === 0 && violationCount === 0,
    block: {
      number: String(found.blockNumber),
      hash: found.blockHash,
      timestamp: isoTime(found.blockTimestamp),
    },
    finishedAt: found.finishedAt.toISOString(),
    durationMs: found.durationMs,
    campaigns: found.campaigns,
    discrepancies,
    violations: { count: violationCount, items: found.violations.map((one) => ({ ...one })) },
  };
}
