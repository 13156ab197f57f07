import { listJoinRequests } from '../../../db/commerce/join-requests.ts';
import type { Handler } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { joinRequest } from '../../render/join-request.ts';

/** `joinRequests.mine`: requests of the caller to join campaigns, newest first. */
export const mine: Handler<'joinRequests.mine'> = async (input, { pool }, { account }) => {
  const page = new ListPage('joinRequests.mine', { ...input, account }, { number: cursorId });
  const { after, limit } = page.query;
  const filter = { campaignId: campaignFilter(input.campaignId), status: input.status };
  const rows = await listJoinRequests(pool, {
    ...{ ...filter, distributor: account, after: after?.number, limit },
  });
  return { data: mapItems(page.of(rows), joinRequest) };
};
