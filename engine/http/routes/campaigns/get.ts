import { fundedCampaignRead } from '../../../db/read/get-campaign.ts';
import { readOneAsOf } from '../../as-of.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { campaignDetail } from '../../render/campaign.ts';

/** `campaigns.get`: one campaign, hidden ones included, with the reason. */
export const get: Handler<'campaigns.get'> = async ({ campaignId, atBlock }, deps) => {
  const { head, value } = await readOneAsOf(deps, atBlock, fundedCampaignRead(campaignId));
  if (value === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
  const { campaign, fundings } = value;
  return {
    data: campaignDetail(deps.deployment, campaign, fundings),
    chain: chainMeta(deps.deployment, head, campaign.newestBlock, campaign.campaignId),
  };
};
