import { z } from 'zod';
import { listIntents } from '../../../db/commerce/intents.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorMicroseconds, cursorOwnId, decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { intentSummary } from '../../render/intent.ts';

const METHOD = 'intents.list';
const Position = z.tuple([cursorMicroseconds, cursorOwnId]);

/**
 * `intents.list`: the caller's intents as they are stored, newest first. Neither chain nor ledger is read:
 * `checkout.getIntent` reconciles one.
 */
export const list: Handler<typeof METHOD> = async (input, { pool, deployment }, { account }) => {
  const { state, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { createdAt: position[0], id: position[1] };
  const filter = { state, campaignId: campaignFilter(input.campaignId) };
  const { items, next } = await listIntents(pool, account, filter, { after, limit });
  return {
    data: {
      items: items.map((intent) => intentSummary(deployment, intent)),
      nextCursor: next && encodeCursor(scope, [next.createdAt, next.id]),
    },
  };
};
