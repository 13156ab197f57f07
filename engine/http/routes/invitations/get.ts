import { readInvitation } from '../../../db/read/campaigns/invitations.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { invitation } from '../../render/invitation.ts';

/** `invitations.get`: an invitation that the caller sent or received, with its answer. */
export const get: Handler<'invitations.get'> = async ({ id }, { pool, clock }, { account }) => {
  const own = { id, party: account };
  const found = await readInvitation(pool, new Date(clock()), own);
  if (found === undefined) throw notFound(`You have no invitation ${id}.`);
  const { respondedAt, reason } = found;
  return {
    data: { ...invitation(found), respondedAt: respondedAt?.toISOString() ?? null, reason },
  };
};
