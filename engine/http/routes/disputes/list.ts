import { listDisputes } from '../../../db/read/disputes/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { Handler } from '../../handler-types.ts';
import { ListPage } from '../../input/cursor.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';
import { disputePage, disputePositions } from '../../resources/disputes/dispute-page.ts';

/** `disputes.list`: disputes about sales of the caller's campaigns, by the end of the hold. */
export const list: Handler<'disputes.list'> = async (input, deps, { merchant }) => {
  const { status, campaignId } = input;
  const disputes = new ListPage('disputes.list', input, disputePositions.merchant);
  const party = { role: 'merchant', address: merchant } as const;
  return await readLedger(deps.pool, async (snapshot) => {
    await requireOwnFilter(snapshot, campaignId, merchant);
    const page = await listDisputes(snapshot, party, { status, campaignId }, disputes);
    return disputePage(deps.deployment, snapshot.head, page, disputes);
  });
};
