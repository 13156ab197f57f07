import { readOne } from '../../../db/read/one-read.ts';
import { campaignSales } from '../../../db/read/sales/list.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { ListPage } from '../../input/cursor.ts';
import { salePage, salePosition } from '../../resources/receipts/sale-page.ts';

/** `receipts.forCampaign`: sales of one campaign, newest first. */
export const forCampaign: Handler<'receipts.forCampaign'> = async (input, deps) => {
  const { campaignId, state } = input;
  const list = new ListPage('receipts.forCampaign', input, salePosition);
  const { after, limit } = list;
  const { head, value } = await readOne(
    deps.pool,
    campaignSales(campaignId, { state, after, limit }),
  );
  if (value === undefined) throw notFound(`There is no campaign ${campaignId}.`);
  return salePage(deps.deployment, head, value, list);
};
