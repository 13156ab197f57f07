import { listDisputes } from '../../../db/read/disputes/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { ListPage } from '../../input/cursor.ts';
import { disputePage, disputePositions } from '../../resources/disputes/dispute-page.ts';

/** `refundRequests.list`: the caller's requests for refunds, the last opened first. */
export const list: Handler<'refundRequests.list'> = async (input, deps, { account }) => {
  const { status } = input;
  const requests = new ListPage('refundRequests.list', input, disputePositions.buyer);
  const party = { role: 'buyer', address: account } as const;
  return await readLedger(deps.pool, async (snapshot) => {
    const page = await listDisputes(snapshot, party, { status }, requests);
    return disputePage(deps.deployment, snapshot.head, page, requests);
  });
};
