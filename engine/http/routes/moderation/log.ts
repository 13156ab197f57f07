import { z } from 'zod';
import { listDecisions } from '../../../db/commerce/moderation.ts';
import { ledgerId } from '../../../db/read/ids.ts';
import { requireOperator } from '../../auth/scopes.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { moderationDecision } from '../../render/moderation.ts';

const METHOD = 'moderation.log';
const Place = z.tuple([cursorId]);

/** `moderation.log`: what operators decided, newest first. */
export const log: Handler<'moderation.log'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT } = input;
  const place = placeOf(METHOD, input, Place);
  requireOperator(deps, session);
  const campaignId = input.campaignId && ledgerId(input.campaignId);
  if (input.campaignId !== undefined && campaignId === undefined) {
    return { data: { items: [], nextCursor: null } };
  }
  const page = { campaignId, beforeId: place?.[0], limit: limit + 1 };
  const found = await listDecisions(deps.pool, page);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return {
    data: {
      items: items.map(moderationDecision),
      nextCursor: last ? encodeCursor({ method: METHOD, input }, [last.id]) : null,
    },
  };
};
