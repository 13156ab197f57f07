import { readConsistently } from '../../../db/read/snapshot.ts';
import { listAudits } from '../../../db/read/system/audits.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { ledgerAudit } from '../../render/ledger-audit.ts';

/** `ledger.audits`: results of audits, newest first. */
export const audits: Handler<'ledger.audits'> = async (input, { pool }) => {
  const page = new ListPage('ledger.audits', input, { id: cursorId });
  const { after, limit } = page.query;
  const { value: found } = await readConsistently(pool, async (sql) => ({
    value: await listAudits(sql, { before: after?.id, limit }),
  }));
  return { data: mapItems(page.of(found), (one) => ({ id: one.id, ...ledgerAudit(one) })) };
};
