import { z } from 'zod';
import { readConsistently } from '../../../db/read/snapshot.ts';
import { listAudits } from '../../../db/read/system/audits.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { ledgerAudit } from '../../render/ledger-audit.ts';

const METHOD = 'ledger.audits';
const Position = z.tuple([cursorId]);

/** `ledger.audits`: results of audits, newest first. */
export const audits: Handler<'ledger.audits'> = async (input, { pool }) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const before = decodeCursor(scope, Position)?.[0];
  const { value: found } = await readConsistently(pool, async (sql) => ({
    value: await listAudits(sql, { before, limit: limit + 1 }),
  }));
  const { items, nextCursor } = pageOf(found, limit, scope, ({ id }) => [id]);
  return { data: { items: items.map((one) => ({ id: one.id, ...ledgerAudit(one) })), nextCursor } };
};
