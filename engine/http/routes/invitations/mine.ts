import { listInvitations } from '../../../db/read/campaigns/invitations.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { oneOf } from '../../input/one-of.ts';
import { invitation } from '../../render/invitation.ts';

const statuses = ['pending', 'accepted', 'declined', 'withdrawn', 'expired'] as const;

/** `invitations.mine`: invitations to the caller, newest first. */
export const mine: Handler<'invitations.mine'> = async (input, { pool, clock }, { account }) => {
  const status = oneOf('status', input.status, statuses);
  const page = new ListPage('invitations.mine', { ...input, account }, { number: cursorId });
  const { after, limit } = page.query;
  const rows = await listInvitations(pool, new Date(clock()), {
    distributor: account,
    status,
    after: after?.number,
    limit,
  });
  return { data: mapItems(page.of(rows), invitation) };
};
