import { listConversions } from '../../../db/read/earnings/conversions.ts';
import { sharedCampaigns } from '../../../db/read/partners/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, cursorLevel, ListPage } from '../../input/cursor.ts';
import { partnerSale } from '../../render/partner.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const position = { saleId: cursorId, campaignId: cursorId, level: cursorLevel };

/** `partners.sales`: all levels of a partner in the caller's campaigns; `partners.get` has the newest ones. */
export const sales: Handler<'partners.sales'> = async (input, deps, { merchant }) => {
  const { deployment, pool } = deps;
  const account = lowerAddress(input.address);
  const page = new ListPage('partners.sales', input, position);
  return await readLedger(pool, async (snapshot) => {
    const pair = { merchant, account };
    const campaignIds = await sharedCampaigns(snapshot, pair);
    if (campaignIds.length === 0) throw notFound(`${account} is not a partner of yours.`);
    const found = await listConversions(snapshot, account, {
      campaignId: undefined,
      campaignIds,
      state: undefined,
      range: undefined,
      ...page.query,
    });
    const data = await earnedPage(snapshot, page.of(found), (level, campaign) =>
      partnerSale(deployment, campaign, level),
    );
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });
};
