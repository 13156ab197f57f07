import { z } from 'zod';
import { earnedCampaigns, earningsOfCampaigns } from '../../../db/read/earnings/balances.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor } from '../../input/cursor.ts';
import { campaignEarnings } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const METHOD = 'earnings.byCampaign';
/** Newest sale of which the caller has a level (0 without one), and the campaign. */
const Position = z.tuple([cursorId, cursorId]);

/** `earnings.byCampaign`: the campaigns that the caller has a node or a balance in. */
export const byCampaign: Handler<'earnings.byCampaign'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { saleId: position[0], campaignId: position[1] };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await earnedCampaigns(snapshot, account, { after, limit: limit + 1 });
    const campaignIds = found.map(({ campaignId }) => campaignId);
    const earnings = await earningsOfCampaigns(snapshot, { account, campaignIds });
    const rows = found.flatMap(({ campaignId, saleId }) => {
      const earned = earnings.get(campaignId);
      return earned ? [{ ...earned, saleId }] : [];
    });
    const data = await earnedPage(
      snapshot,
      { found: rows, limit, scope },
      ({ saleId, campaignId }) => [saleId, campaignId],
      (earned, campaign) => campaignEarnings(campaign, earned),
    );
    return { data, chain: chainMeta(deps.deployment, snapshot.head) };
  });
};
