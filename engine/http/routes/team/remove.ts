import { removeMember } from '../../../db/commerce/team.ts';
import { HttpError } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { changeTeam, requireManageable, requireMember } from '../../resources/team-changes.ts';

/** `team.remove`: takes a member out of the team, or withdraws its invitation. Every member but the owner may leave. */
export const remove: Handler<'team.remove'> = async ({ id }, deps, { merchant, account, role }) => {
  await changeTeam(deps, merchant, async (sql, team, now) => {
    const found = requireMember(team, id);
    if (found.account !== account || found.role === 'owner') {
      if (role !== 'owner' && role !== 'admin') {
        throw new HttpError('FORBIDDEN', `The role ${role} may remove itself alone.`);
      }
      requireManageable(role, found.role);
    }
    if (found.status !== 'removed') await removeMember(sql, found, now);
  });
  return { data: { ok: true } };
};
