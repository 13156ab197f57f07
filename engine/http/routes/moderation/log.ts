import { z } from 'zod';
import { listDecisions } from '../../../db/commerce/moderation.ts';
import { ledgerId } from '../../../db/ids.ts';
import { requireOperator } from '../../auth/scopes.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { moderationDecision } from '../../render/moderation.ts';

const METHOD = 'moderation.log';
const Position = z.tuple([cursorId]);

/** `moderation.log`: decisions of operators, newest first. */
export const log: Handler<'moderation.log'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  requireOperator(deps, account);
  const campaignId = input.campaignId && ledgerId(input.campaignId);
  if (input.campaignId !== undefined && campaignId === undefined) {
    return { data: { items: [], nextCursor: null } };
  }
  const page = { campaignId, beforeId: position?.[0], limit: limit + 1 };
  const found = await listDecisions(deps.pool, page);
  const { items, nextCursor } = pageOf(found, limit, scope, (one) => [one.id]);
  return {
    data: {
      items: items.map(moderationDecision),
      nextCursor,
    },
  };
};
