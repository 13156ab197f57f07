import { listConversions } from '../../../db/read/earnings/conversions.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, cursorLevel, ListPage } from '../../input/cursor.ts';
import { periodOf } from '../../input/period.ts';
import { conversionOf } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const position = { saleId: cursorId, campaignId: cursorId, level: cursorLevel };

/** `earnings.byConversion`: every level of a sale that belongs to the caller, newest sale first. */
export const byConversion: Handler<'earnings.byConversion'> = async (input, deps, { account }) => {
  const { state, range } = input;
  const { deployment } = deps;
  const page = new ListPage('earnings.byConversion', input, position);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    state,
    range: periodOf(range),
    ...page.query,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const { head } = snapshot;
    const found = await listConversions(snapshot, account, query);
    const data = await earnedPage(snapshot, page.of(found), (level, campaign) =>
      conversionOf(deployment, campaign, level, head.timestamp),
    );
    return { data, chain: chainMeta(deployment, head) };
  });
};
