import { z } from 'zod';
import { listDisputes } from '../../../db/read/disputes/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { disputeOf } from '../../render/dispute.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'disputes.list';
const Position = z.tuple([cursorId, z.string().regex(/^[A-Za-z0-9_-]{1,100}$/)]);

/** `disputes.list`: disputes about sales of the caller's campaigns, by the end of the hold. */
export const list: Handler<typeof METHOD> = async (input, deps, { session }) => {
  const { status, campaignId, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { holdUntil: position[0], id: position[1] };
  const filter = { merchant: session.address, status, campaignId };
  return await readLedger(deps.pool, async (snapshot) => {
    await requireOwnFilter(snapshot, campaignId, session.address);
    const { items, next } = await listDisputes(snapshot, filter, { after, limit });
    const blocks = items.map(({ sale }) => sale.newestBlock);
    const newest = blocks.length === 0 ? snapshot.head.number : Math.max(...blocks);
    return {
      data: {
        items: items.map((dispute) => disputeOf(deps.deployment, dispute)),
        nextCursor: next && encodeCursor(scope, [next.holdUntil, next.id]),
      },
      chain: chainMeta(deps.deployment, snapshot.head, newest),
    };
  });
};
