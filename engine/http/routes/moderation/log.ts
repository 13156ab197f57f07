import { listDecisions } from '../../../db/commerce/moderation.ts';
import { ledgerId } from '../../../db/ids.ts';
import { requireOperator } from '../../auth/scopes.ts';
import type { Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { moderationDecision } from '../../render/moderation.ts';

/** `moderation.log`: decisions of operators, newest first. */
export const log: Handler<'moderation.log'> = async (input, deps, { account }) => {
  const page = new ListPage('moderation.log', input, { id: cursorId });
  const { after, limit } = page.query;
  requireOperator(deps, account);
  const campaignId = input.campaignId && ledgerId(input.campaignId);
  if (input.campaignId !== undefined && campaignId === undefined) {
    return { data: { items: [], nextCursor: null } };
  }
  const found = await listDecisions(deps.pool, { campaignId, beforeId: after?.id, limit });
  return { data: mapItems(page.of(found), moderationDecision) };
};
