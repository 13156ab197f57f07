import { readInvitation } from '../../../db/read/campaigns/invitations.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { invitation } from '../../render/invitation.ts';

/**
 * `invitations.get`: an invitation that the caller received, or that it or the merchant for which it acts sent,
 * with its answer.
 */
export const get: Handler<'invitations.get'> = async ({ id }, { pool, clock }, caller) => {
  const { account, merchant = account } = caller;
  const found = await readInvitation(pool, new Date(clock()), { id, merchant, account });
  if (found === undefined) throw notFound(`You have no invitation ${id}.`);
  const { respondedAt, reason } = found;
  return {
    data: { ...invitation(found), respondedAt: respondedAt?.toISOString() ?? null, reason },
  };
};
