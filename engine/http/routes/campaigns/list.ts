import { z } from 'zod';
import { listCampaigns } from '../../../db/read/list-campaigns.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { cursorAmount, cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { UnauthenticatedError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { campaignSummary } from '../../render/campaign.ts';

const METHOD = 'campaigns.list';

/** Only the budget is an amount; the other keys are integers of the ledger. */
const places = {
  integer: z.tuple([cursorId, cursorId]),
  amount: z.tuple([cursorAmount, cursorId]),
};

/** `campaigns.list`: published campaigns, filtered and sorted, a page at a time. */
export const list: Handler<'campaigns.list'> = async (input, { pool, deployment }) => {
  const { cursor: _cursor, limit = PAGE_LIMIT, sort = 'balanced', excludeJoined } = input;
  if (excludeJoined === true) {
    throw new UnauthenticatedError('excludeJoined needs somebody signed in.');
  }
  const place = placeOf(METHOD, input, sort === 'budget' ? places.amount : places.integer);
  const after = place && { key: place[0], campaignId: place[1] };
  return await readLedger(pool, async (snapshot) => {
    const page = await listCampaigns(snapshot, { filters: input, sort, after, limit });
    const { next, total } = page;
    const newest = page.items.map(({ newestBlock }) => newestBlock);
    return {
      data: {
        items: page.items.map((campaign) => campaignSummary(deployment, campaign)),
        nextCursor: next && encodeCursor({ method: METHOD, input }, [next.key, next.campaignId]),
        total,
      },
      chain: chainMeta(deployment, snapshot.head, newestOf(newest)),
    };
  });
};

function newestOf(blocks: readonly number[]): number | undefined {
  return blocks.length === 0 ? undefined : Math.max(...blocks);
}
