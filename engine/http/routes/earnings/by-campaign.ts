import { earnedCampaigns, earningsOfCampaigns } from '../../../db/read/earnings/balances.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { campaignEarnings } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

/** Newest sale of which the caller has a level (0 without one), and the campaign. */
const position = { saleId: cursorId, campaignId: cursorId };

/** `earnings.byCampaign`: the campaigns that the caller has a node or a balance in. */
export const byCampaign: Handler<'earnings.byCampaign'> = async (input, deps, { account }) => {
  const page = new ListPage('earnings.byCampaign', input, position);
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await earnedCampaigns(snapshot, account, page.query);
    const campaignIds = found.map(({ campaignId }) => campaignId);
    const earnings = await earningsOfCampaigns(snapshot, { account, campaignIds });
    const rows = found.flatMap(({ campaignId, saleId }) => {
      const earned = earnings.get(campaignId);
      return earned ? [{ ...earned, saleId }] : [];
    });
    const data = await earnedPage(snapshot, page.of(rows), (earned, campaign) =>
      campaignEarnings(campaign, earned),
    );
    return { data, chain: chainMeta(deps.deployment, snapshot.head) };
  });
};
