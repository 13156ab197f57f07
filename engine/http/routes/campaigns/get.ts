import { fundedCampaignRead } from '../../../db/read/campaigns/get.ts';
import { readOneAsOf } from '../../as-of.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignDetail } from '../../render/campaign.ts';

/** `campaigns.get`: one campaign, hidden ones included, with the reason. */
export const get: Handler<'campaigns.get'> = async ({ campaignId, atBlock }, deps) => {
  const { head, value } = await readOneAsOf(deps, atBlock, fundedCampaignRead(campaignId));
  if (value === undefined) throw notFound(`There is no campaign ${campaignId}.`);
  const { campaign, fundings } = value;
  return {
    data: campaignDetail(deps.deployment, campaign, fundings),
    chain: chainMeta(deps.deployment, head, campaign.newestBlock, campaign.campaignId),
  };
};
