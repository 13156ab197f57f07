import { campaignList } from '../../../db/read/campaigns/list.ts';
import { readOne } from '../../../db/read/one-read.ts';
import { HttpError } from '../../errors.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { campaignCursorOf, campaignPage } from '../../resources/campaigns/campaign-page.ts';

/** `campaigns.list`: published campaigns, filtered and sorted, a page at a time. */
export const list: Handler<'campaigns.list'> = async (input, { pool, deployment }, { account }) => {
  const { limit = PAGE_LIMIT, sort = 'balanced', excludeJoined } = input;
  if (excludeJoined === true && account === undefined) {
    throw new HttpError('UNAUTHENTICATED', 'Sign in to use excludeJoined.');
  }
  const notJoinedBy = excludeJoined === true ? account : undefined;
  // The account is part of the scope: a cursor of one account is not valid for another.
  const filters = { ...input, notJoinedBy };
  const scope = { method: 'campaigns.list', input: filters };
  const after = campaignCursorOf(scope, sort);
  const { head, value } = await readOne(pool, campaignList({ filters, sort, after, limit }));
  return campaignPage(deployment, head, value, scope);
};
