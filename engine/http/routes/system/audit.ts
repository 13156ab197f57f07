import { readConsistently } from '../../../db/read/snapshot.ts';
import { lastAudit } from '../../../db/read/system/audits.ts';
import type { Handler } from '../../handler-types.ts';
import { ledgerAudit } from '../../render/ledger-audit.ts';

/** `system.audit`: works before the first audit and before the first settled block too. */
export const audit: Handler<'system.audit'> = async (_input, { pool }) => {
  const { value } = await readConsistently(pool, async (sql) => ({ value: await lastAudit(sql) }));
  return { data: { last: value === undefined ? null : ledgerAudit(value) } };
};
