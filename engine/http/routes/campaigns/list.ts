import { campaignList } from '../../../db/read/campaigns/list.ts';
import { readOne } from '../../../db/read/one-read.ts';
import { HttpError } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { campaignListPage, campaignPage } from '../../resources/campaigns/campaign-page.ts';

/** `campaigns.list`: published campaigns, filtered and sorted, a page at a time. */
export const list: Handler<'campaigns.list'> = async (input, { pool, deployment }, { account }) => {
  const { sort = 'balanced', excludeJoined } = input;
  if (excludeJoined === true && account === undefined) {
    throw new HttpError('UNAUTHENTICATED', 'Sign in to use excludeJoined.');
  }
  const notJoinedBy = excludeJoined === true ? account : undefined;
  // The account is part of the scope: a cursor of one account is not valid for another.
  const filters = { ...input, notJoinedBy };
  const page = campaignListPage('campaigns.list', filters, sort);
  const { after, limit } = page;
  const { head, value } = await readOne(pool, campaignList({ filters, sort, after, limit }));
  return campaignPage(deployment, head, value, page);
};
