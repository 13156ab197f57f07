import { listAudit } from '../../../db/commerce/audit-log.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { auditEntry } from '../../render/team.ts';

/** `team.audit`: what members and their keys changed, newest first. */
export const audit: Handler<'team.audit'> = async (input, { pool }, { merchant }) => {
  const page = new ListPage('team.audit', { ...input, merchant }, { number: cursorId });
  const { after, limit } = page.query;
  const rows = await listAudit(pool, merchant, { before: after?.number, limit });
  return { data: mapItems(page.of(rows), auditEntry) };
};
