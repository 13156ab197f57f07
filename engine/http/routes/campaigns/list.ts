import { campaignList } from '../../../db/read/list-campaigns.ts';
import { readOne } from '../../../db/read/one-read.ts';
import { campaignPage, campaignPlaceOf } from '../../campaign-page.ts';
import { UnauthenticatedError } from '../../errors.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';

/** `campaigns.list`: published campaigns, filtered and sorted, a page at a time. */
export const list: Handler<'campaigns.list'> = async (input, { pool, deployment }, { session }) => {
  const { limit = PAGE_LIMIT, sort = 'balanced', excludeJoined } = input;
  if (excludeJoined === true && session === undefined) {
    throw new UnauthenticatedError('excludeJoined needs somebody signed in.');
  }
  const notJoinedBy = excludeJoined === true ? session?.address : undefined;
  // The list of one account is another list than that of another.
  const filters = { ...input, notJoinedBy };
  const scope = { method: 'campaigns.list', input: filters };
  const after = campaignPlaceOf(scope, sort);
  const { head, value } = await readOne(pool, campaignList({ filters, sort, after, limit }));
  return campaignPage(deployment, head, value, scope);
};
