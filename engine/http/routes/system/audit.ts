import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import { readConsistently } from '../../../db/read/snapshot.ts';
import { type LastAudit, lastAudit } from '../../../db/read/system/last-audit.ts';
import type { Handler } from '../../handler-types.ts';
import { isoTime } from '../../render/time.ts';

type Last = NonNullable<OutputOf<MethodOf<'system.audit'>>['last']>;

/** `system.audit`: works before the first audit and before the first settled block too. */
export const audit: Handler<'system.audit'> = async (_input, { pool }) => {
  const { value } = await readConsistently(pool, async (sql) => ({ value: await lastAudit(sql) }));
  return { data: { last: value === undefined ? null : lastOf(value) } };
};

function lastOf(found: LastAudit): Last {
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
