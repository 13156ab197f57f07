import { readOne } from '../../../db/read/one-read.ts';
import { campaignSales } from '../../../db/read/sales/list.ts';
import { notFound } from '../../errors.ts';
import { type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { saleCursorOf, salePage } from '../../resources/receipts/sale-page.ts';

/** `receipts.forCampaign`: sales of one campaign, newest first. */
export const forCampaign: Handler<'receipts.forCampaign'> = async (input, deps) => {
  const { campaignId, state, limit = PAGE_LIMIT } = input;
  const scope = { method: 'receipts.forCampaign', input };
  const after = saleCursorOf(scope);
  const { head, value } = await readOne(
    deps.pool,
    campaignSales(campaignId, { state, after, limit }),
  );
  if (value === undefined) throw notFound(`There is no campaign ${campaignId}.`);
  return salePage(deps.deployment, head, value, scope);
};
