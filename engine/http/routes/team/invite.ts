import { inviteMember, MAX_MEMBERS } from '../../../db/commerce/team.ts';
import { newId } from '../../auth/token.ts';
import { conflict, unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { member } from '../../render/team.ts';
import { changeTeam, requireManageable } from '../../resources/team-changes.ts';

/** `team.invite`: invites an account, or a former member again. It becomes a member when it signs in. */
export const invite: Handler<'team.invite'> = async (input, deps, { merchant, role }) => {
  const account = lowerAddress(input.address);
  requireManageable(role, input.role);
  const invited = await changeTeam(deps, merchant, async (sql, team, now) => {
    const known = team.find((one) => one.account === account);
    if (known !== undefined && known.status !== 'removed') {
      const is = known.status === 'active' ? 'is a member' : 'is invited';
      throw conflict(`${account} ${is} already, as ${known.role}: see team.updateRole.`);
    }
    if (known === undefined && team.length >= MAX_MEMBERS) {
      throw unprocessable(`A team has at most ${MAX_MEMBERS} members, former ones included.`);
    }
    return await inviteMember(sql, { id: newId(), merchant, account, role: input.role }, now);
  });
  return { data: member(invited) };
};
