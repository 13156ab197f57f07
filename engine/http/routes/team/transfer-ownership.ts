import { transferTo } from '../../../db/commerce/team.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { changeTeam } from '../../resources/team-changes.ts';

/**
 * `team.transferOwnership`: makes an active member the owner, and the caller an admin. The account that
 * the contract knows as the merchant stays the same: only its wallet signs transactions.
 */
export const transferOwnership: Handler<'team.transferOwnership'> = async (input, deps, caller) => {
  const { merchant } = caller;
  const address = lowerAddress(input.address);
  await changeTeam(deps, merchant, async (sql, team) => {
    const next = team.find((one) => one.account === address);
    if (next?.status !== 'active') {
      throw unprocessable('The ownership cannot be transferred.', [
        { path: 'address', message: 'must be an active member of the team' },
      ]);
    }
    if (next.role !== 'owner') await transferTo(sql, next);
  });
  return { data: { ok: true } };
};
