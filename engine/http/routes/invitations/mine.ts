import { z } from 'zod';
import { listInvitations } from '../../../db/read/campaigns/invitations.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { oneOf } from '../../input/one-of.ts';
import { invitation } from '../../render/invitation.ts';

const METHOD = 'invitations.mine';
const Position = z.tuple([cursorId]);
const statuses = ['pending', 'accepted', 'declined', 'withdrawn', 'expired'] as const;

/** `invitations.mine`: invitations to the caller, newest first. */
export const mine: Handler<'invitations.mine'> = async (input, { pool, clock }, { account }) => {
  const { limit = PAGE_LIMIT } = input;
  const status = oneOf('status', input.status, statuses);
  const scope = { method: METHOD, input: { ...input, account } };
  const [after] = decodeCursor(scope, Position) ?? [];
  const rows = await listInvitations(pool, new Date(clock()), {
    distributor: account,
    status,
    after,
    limit: limit + 1,
  });
  const page = pageOf(rows, limit, scope, ({ number }) => [number]);
  return { data: { ...page, items: page.items.map(invitation) } };
};
