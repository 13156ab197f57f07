import { z } from 'zod';
import { listAudit } from '../../../db/commerce/audit-log.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { auditEntry } from '../../render/team.ts';

const METHOD = 'team.audit';
/** Number of the last entry of a page. */
const Position = z.tuple([cursorId]);

/** `team.audit`: what members and their keys changed, newest first. */
export const audit: Handler<typeof METHOD> = async (input, { pool }, { merchant }) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input: { ...input, merchant } };
  const [before] = decodeCursor(scope, Position) ?? [];
  const rows = await listAudit(pool, merchant, { before, limit: limit + 1 });
  const { items, nextCursor } = pageOf(rows, limit, scope, ({ number }) => [String(number)]);
  return { data: { items: items.map(auditEntry), nextCursor } };
};
