import type { MethodOf, OutputOf } from '../../contract/types.ts';
import type { AuditRow } from '../../db/commerce/audit-log.ts';
import type { MemberRow } from '../../db/commerce/team.ts';

/** A member as its team sees it. */
export function member({
  id,
  account,
  role,
  status,
  joinedAt,
}: MemberRow): OutputOf<MethodOf<'team.invite'>> {
  return { id, address: account, role, status, joinedAt: joinedAt?.toISOString() ?? null };
}

/** An entry of the audit log as its team sees it. */
export function auditEntry({
  number: _number,
  atMs,
  ...entry
}: AuditRow): OutputOf<MethodOf<'team.audit'>>['items'][number] {
  return { ...entry, at: new Date(atMs).toISOString() };
}
