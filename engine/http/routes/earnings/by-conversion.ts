import { z } from 'zod';
import { listConversions } from '../../../db/read/list-conversions.ts';
import { readAsOf } from '../../as-of.ts';
import { campaignFilter } from '../../campaign-filter.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { earnedPage } from '../../earned-page.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { periodOf } from '../../period.ts';
import { conversionOf } from '../../render/earnings.ts';

const METHOD = 'earnings.byConversion';
const Place = z.tuple([cursorId, cursorId, z.string().regex(/^[1-9]$/)]);

/** `earnings.byConversion`: every level of every sale that the caller has, newest sale first. */
export const byConversion: Handler<'earnings.byConversion'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT, state, range } = input;
  const { deployment } = deps;
  const place = placeOf(METHOD, input, Place);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    state,
    range: periodOf(range),
    after: place && { saleId: place[0], campaignId: place[1], level: place[2] },
    limit: limit + 1,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const { head } = snapshot;
    const found = await listConversions(snapshot, session.address, query);
    const data = await earnedPage(
      snapshot,
      { found, limit, scope: { method: METHOD, input } },
      ({ saleId, campaignId, level }) => [saleId, campaignId, String(level)],
      (level, campaign) => conversionOf(deployment, campaign, level, head.timestamp),
    );
    return { data, chain: chainMeta(deployment, head) };
  });
};
