import { z } from 'zod';
import { listConversions } from '../../../db/read/earnings/conversions.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, decodeCursor } from '../../input/cursor.ts';
import { periodOf } from '../../input/period.ts';
import { conversionOf } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const METHOD = 'earnings.byConversion';
const Position = z.tuple([cursorId, cursorId, z.string().regex(/^[1-9]$/)]);

/** `earnings.byConversion`: every level of a sale that belongs to the caller, newest sale first. */
export const byConversion: Handler<'earnings.byConversion'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT, state, range } = input;
  const { deployment } = deps;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    state,
    range: periodOf(range),
    after: position && { saleId: position[0], campaignId: position[1], level: position[2] },
    limit: limit + 1,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const { head } = snapshot;
    const found = await listConversions(snapshot, account, query);
    const data = await earnedPage(
      snapshot,
      { found, limit, scope },
      ({ saleId, campaignId, level }) => [saleId, campaignId, String(level)],
      (level, campaign) => conversionOf(deployment, campaign, level, head.timestamp),
    );
    return { data, chain: chainMeta(deployment, head) };
  });
};
