import { getMerchant } from '../../../db/read/get-merchant.ts';
import { campaignList } from '../../../db/read/list-campaigns.ts';
import { readIn } from '../../../db/read/one-read.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { campaignPage, campaignPlaceOf } from '../../campaign-page.ts';
import { NotFoundError } from '../../errors.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';

/** `merchants.offers`: the listed campaigns of one merchant, newest first unless told otherwise. */
export const offers: Handler<'merchants.offers'> = async (input, { pool, deployment }) => {
  const { slug, status, sort = 'newest', limit = PAGE_LIMIT } = input;
  const scope = { method: 'merchants.offers', input };
  const after = campaignPlaceOf(scope, sort);
  return await readLedger(pool, async (snapshot) => {
    const merchant = await getMerchant(snapshot, slug);
    if (merchant === undefined) throw new NotFoundError(`There is no merchant ${slug}.`);
    const filters = { merchant: merchant.address, status };
    const page = await readIn(snapshot, campaignList({ filters, sort, after, limit }));
    return campaignPage(deployment, snapshot.head, page, scope);
  });
};
