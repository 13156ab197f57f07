import { z } from 'zod';
import { listInvitations } from '../../../db/read/invitations.ts';
import { lowerAddress } from '../../address.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { invitation } from '../../render/invitation.ts';

const METHOD = 'invitations.sent';
const Place = z.tuple([cursorId]);

/** `invitations.sent`: what the caller sent, newest first. */
export const sent: Handler<'invitations.sent'> = async (input, { pool, clock }, { session }) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input: { ...input, account: session.address } };
  const [after] = placeOf(METHOD, { ...scope.input }, Place) ?? [];
  const rows = await listInvitations(pool, new Date(clock()), {
    merchant: session.address,
    distributor: input.distributor && lowerAddress(input.distributor),
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
