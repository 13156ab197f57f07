import { campaignList } from '../../../db/read/campaigns/list.ts';
import { getMerchant } from '../../../db/read/merchants/get.ts';
import { readIn } from '../../../db/read/one-read.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { campaignListPage, campaignPage } from '../../resources/campaigns/campaign-page.ts';

/** `merchants.offers`: the listed campaigns of one merchant, newest first by default. */
export const offers: Handler<'merchants.offers'> = async (input, { pool, deployment }) => {
  const { slug, status, sort = 'newest' } = input;
  const list = campaignListPage('merchants.offers', input, sort);
  const { after, limit } = list;
  return await readLedger(pool, async (snapshot) => {
    const merchant = await getMerchant(snapshot, slug);
    if (merchant === undefined) throw notFound(`There is no merchant ${slug}.`);
    const filters = { merchant: merchant.address, status };
    const page = await readIn(snapshot, campaignList({ filters, sort, after, limit }));
    return campaignPage(deployment, snapshot.head, page, list);
  });
};
