import { setRole } from '../../../db/commerce/team.ts';
import { conflict } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { member } from '../../render/team.ts';
import { changeTeam, requireManageable, requireMember } from '../../resources/team-changes.ts';

/** `team.updateRole`: gives a member, or an invited account, another role. */
export const updateRole: Handler<'team.updateRole'> = async (input, deps, { merchant, role }) => {
  const updated = await changeTeam(deps, merchant, async (sql, team) => {
    const found = requireMember(team, input.id);
    requireManageable(role, found.role);
    requireManageable(role, input.role);
    if (found.status === 'removed')
      throw conflict(`The member ${input.id} was removed: invite it.`);
    return found.role === input.role ? found : await setRole(sql, input.id, input.role);
  });
  return { data: member(updated) };
};
