import { campaignExists, campaignSales } from '../../../db/read/list-sales.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { NotFoundError } from '../../errors.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { salePage, salePlaceOf } from '../../sale-page.ts';

/** `receipts.forCampaign`: sales of one campaign, newest first. */
export const forCampaign: Handler<'receipts.forCampaign'> = async (input, deps) => {
  const { campaignId, limit = PAGE_LIMIT } = input;
  const scope = { method: 'receipts.forCampaign', input };
  const after = salePlaceOf(scope);
  return await readLedger(deps.pool, async (snapshot) => {
    if (!(await campaignExists(snapshot, campaignId))) {
      throw new NotFoundError(`There is no campaign ${campaignId}.`);
    }
    const page = await campaignSales(snapshot, campaignId, { after, limit });
    return salePage(deps.deployment, snapshot.head, page, scope);
  });
};
