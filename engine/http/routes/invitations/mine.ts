import { z } from 'zod';
import { listInvitations } from '../../../db/read/invitations.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { oneOf } from '../../one-of.ts';
import { invitation } from '../../render/invitation.ts';

const METHOD = 'invitations.mine';
const Place = z.tuple([cursorId]);
const statuses = ['pending', 'accepted', 'declined', 'withdrawn', 'expired'] as const;

/** `invitations.mine`: what others sent to the caller, newest first. */
export const mine: Handler<'invitations.mine'> = async (input, { pool, clock }, { session }) => {
  const { limit = PAGE_LIMIT } = input;
  const status = oneOf('status', input.status, statuses);
  const scope = { method: METHOD, input: { ...input, account: session.address } };
  const [after] = placeOf(METHOD, { ...scope.input }, Place) ?? [];
  const rows = await listInvitations(pool, new Date(clock()), {
    distributor: session.address,
    status,
    after,
    limit: limit + 1,
  });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: {
      items: rows.slice(0, limit).map(invitation),
      nextCursor: last ? encodeCursor(scope, [last.number]) : null,
    },
  };
};
