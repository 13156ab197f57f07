import { listMembers } from '../../../db/commerce/team.ts';
import type { Handler } from '../../handler-types.ts';
import { member } from '../../render/team.ts';
import { requireMerchant } from '../../resources/merchants/own-merchant.ts';

/** `team.members`: the owner, then the others as they were invited. */
export const members: Handler<'team.members'> = async (_input, { pool }, { merchant }) => {
  const found = await listMembers(pool, merchant);
  if (found.length > 0) return { data: found.map(member) };
  // A team that was never changed: the merchant's account alone.
  const { id, createdAt } = await requireMerchant(pool, merchant);
  const owner = { id, merchant, account: merchant, role: 'owner', status: 'active' } as const;
  return { data: [member({ ...owner, joinedAt: createdAt })] };
};
