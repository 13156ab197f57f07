import { listJoinRequests } from '../../../db/commerce/join-requests.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { joinRequest } from '../../render/join-request.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';

/** `joinRequests.received`: requests to join campaigns of the merchant, newest first. */
export const received: Handler<'joinRequests.received'> = async (input, { pool }, { merchant }) => {
  const { campaignId, status } = input;
  const page = new ListPage('joinRequests.received', { ...input, merchant }, { number: cursorId });
  const { after, limit } = page.query;
  if (campaignId !== undefined) {
    await readLedger(pool, (snapshot) => requireOwnFilter(snapshot, campaignId, merchant));
  }
  const rows = await listJoinRequests(pool, {
    ...{ merchant, campaignId, status, after: after?.number, limit },
  });
  return { data: mapItems(page.of(rows), joinRequest) };
};
