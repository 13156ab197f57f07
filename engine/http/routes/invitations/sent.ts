import { z } from 'zod';
import { listInvitations } from '../../../db/read/campaigns/invitations.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { invitation } from '../../render/invitation.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'invitations.sent';
const Position = z.tuple([cursorId]);

/** `invitations.sent`: invitations that the caller sent, newest first. */
export const sent: Handler<'invitations.sent'> = async (input, { pool, clock }, { merchant }) => {
  const { limit = PAGE_LIMIT, campaignId, status } = input;
  const scope = { method: METHOD, input: { ...input, merchant } };
  const [after] = decodeCursor(scope, Position) ?? [];
  if (campaignId !== undefined) {
    await readLedger(pool, (snapshot) => requireOwnFilter(snapshot, campaignId, merchant));
  }
  const rows = await listInvitations(pool, new Date(clock()), {
    merchant,
    distributor: input.distributor && lowerAddress(input.distributor),
    campaignId,
    status,
    after,
    limit: limit + 1,
  });
  const page = pageOf(rows, limit, scope, ({ number }) => [number]);
  return { data: { ...page, items: page.items.map(invitation) } };
};
