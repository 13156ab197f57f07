import { listInvitations } from '../../../db/read/campaigns/invitations.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { invitation } from '../../render/invitation.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';

/** `invitations.sent`: invitations that the caller sent, newest first. */
export const sent: Handler<'invitations.sent'> = async (input, { pool, clock }, { merchant }) => {
  const { campaignId, status } = input;
  const page = new ListPage('invitations.sent', { ...input, merchant }, { number: cursorId });
  const { after, limit } = page.query;
  if (campaignId !== undefined) {
    await readLedger(pool, (snapshot) => requireOwnFilter(snapshot, campaignId, merchant));
  }
  const rows = await listInvitations(pool, new Date(clock()), {
    merchant,
    distributor: input.distributor && lowerAddress(input.distributor),
    campaignId,
    status,
    after: after?.number,
    limit,
  });
  return { data: mapItems(page.of(rows), invitation) };
};
