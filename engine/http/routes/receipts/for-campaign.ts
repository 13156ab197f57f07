import { campaignSales } from '../../../db/read/list-sales.ts';
import { readOne } from '../../../db/read/one-read.ts';
import { NotFoundError } from '../../errors.ts';
import { type Handler, PAGE_LIMIT } from '../../handler.ts';
import { salePage, salePlaceOf } from '../../sale-page.ts';

/** `receipts.forCampaign`: sales of one campaign, newest first. */
export const forCampaign: Handler<'receipts.forCampaign'> = async (input, deps) => {
  const { campaignId, limit = PAGE_LIMIT } = input;
  const scope = { method: 'receipts.forCampaign', input };
  const after = salePlaceOf(scope);
  const { head, value } = await readOne(deps.pool, campaignSales(campaignId, { after, limit }));
  if (value === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
  return salePage(deps.deployment, head, value, scope);
};
