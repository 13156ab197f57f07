import { z } from 'zod';
import { listConversions } from '../../../db/read/earnings/conversions.ts';
import { sharedCampaigns } from '../../../db/read/partners/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, decodeCursor } from '../../input/cursor.ts';
import { partnerSale } from '../../render/partner.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const METHOD = 'partners.sales';
const Position = z.tuple([cursorId, cursorId, z.string().regex(/^[1-9]$/)]);

/** `partners.sales`: all levels of a partner in the caller's campaigns; `partners.get` has the newest ones. */
export const sales: Handler<'partners.sales'> = async (input, deps, { merchant }) => {
  const { limit = PAGE_LIMIT } = input;
  const { deployment, pool } = deps;
  const account = lowerAddress(input.address);
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  return await readLedger(pool, async (snapshot) => {
    const pair = { merchant, account };
    const campaignIds = await sharedCampaigns(snapshot, pair);
    if (campaignIds.length === 0) throw notFound(`${account} is not a partner of yours.`);
    const found = await listConversions(snapshot, account, {
      campaignId: undefined,
      campaignIds,
      state: undefined,
      range: undefined,
      after: position && { saleId: position[0], campaignId: position[1], level: position[2] },
      limit: limit + 1,
    });
    const data = await earnedPage(
      snapshot,
      { found, limit, scope },
      ({ saleId, campaignId, level }) => [saleId, campaignId, String(level)],
      (level, campaign) => partnerSale(deployment, campaign, level),
    );
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });
};
