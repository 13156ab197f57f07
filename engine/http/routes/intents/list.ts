import { listIntents } from '../../../db/commerce/intents.ts';
import type { Handler } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorMicroseconds, cursorOwnId, ListPage } from '../../input/cursor.ts';
import { intentSummary } from '../../render/intent.ts';

const position = { createdAt: cursorMicroseconds, id: cursorOwnId };

/**
 * `intents.list`: the caller's intents as they are stored, newest first. Neither chain nor ledger is read:
 * `checkout.getIntent` reconciles one.
 */
export const list: Handler<'intents.list'> = async (input, { pool, deployment }, { account }) => {
  const page = new ListPage('intents.list', input, position);
  const filter = { state: input.state, campaignId: campaignFilter(input.campaignId) };
  const { items, next } = await listIntents(pool, account, filter, page);
  return {
    data: {
      items: items.map((intent) => intentSummary(deployment, intent)),
      nextCursor: page.cursor(next),
    },
  };
};
