import { listDisputes } from '../../../db/read/disputes/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';
import { disputeCursorOf, disputePage } from '../../resources/disputes/dispute-page.ts';

const METHOD = 'disputes.list';

/** `disputes.list`: disputes about sales of the caller's campaigns, by the end of the hold. */
export const list: Handler<typeof METHOD> = async (input, deps, { merchant }) => {
  const { status, campaignId, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const party = { role: 'merchant', address: merchant } as const;
  const after = disputeCursorOf(scope, party.role);
  return await readLedger(deps.pool, async (snapshot) => {
    await requireOwnFilter(snapshot, campaignId, merchant);
    const page = await listDisputes(snapshot, party, { status, campaignId }, { after, limit });
    return disputePage(deps.deployment, snapshot.head, page, scope);
  });
};
