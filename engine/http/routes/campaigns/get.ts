import { campaignFundings, getCampaign } from '../../../db/read/get-campaign.ts';
import { readAsOf } from '../../as-of.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { campaignDetail } from '../../render/campaign.ts';

/** `campaigns.get`: one campaign, hidden ones included, with the reason. */
export const get: Handler<'campaigns.get'> = async ({ campaignId, atBlock }, deps) =>
  await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await getCampaign(snapshot, campaignId);
    if (campaign === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
    const fundings = await campaignFundings(snapshot, campaign);
    return {
      data: campaignDetail(deps.deployment, campaign, fundings),
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock),
    };
  });
