import { listDisputes } from '../../../db/read/disputes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { encodeCursor } from '../../cursor.ts';
import { disputePlaceOf } from '../../dispute-page.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { disputeOf } from '../../render/dispute.ts';

const METHOD = 'disputes.list';

/** `disputes.list`: disputes about sales of the caller's campaigns, the first hold to end first. */
export const list: Handler<typeof METHOD> = async (input, deps, { session }) => {
  const { status, campaignId, limit = PAGE_LIMIT } = input;
  const after = disputePlaceOf(METHOD, input);
  const filter = { merchant: session.address, status, campaignId };
  return await readLedger(deps.pool, async (snapshot) => {
    const { items, next } = await listDisputes(snapshot, filter, { after, limit });
    const blocks = items.map(({ sale }) => sale.newestBlock);
    const newest = blocks.length === 0 ? snapshot.head.number : Math.max(...blocks);
    return {
      data: {
        items: items.map((dispute) => disputeOf(deps.deployment, dispute)),
        nextCursor: next && encodeCursor({ method: METHOD, input }, [next.holdUntil, next.id]),
      },
      chain: chainMeta(deps.deployment, snapshot.head, newest),
    };
  });
};
