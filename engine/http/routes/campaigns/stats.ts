import { campaignStats } from '../../../db/read/campaign-stats.ts';
import { getCampaign } from '../../../db/read/get-campaign.ts';
import { readAsOf } from '../../as-of.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { campaignStatsOf } from '../../render/campaign-stats.ts';

/** `campaigns.stats`: what the ledger adds up for a campaign. */
export const stats: Handler<'campaigns.stats'> = async ({ campaignId, atBlock }, deps) =>
  await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await getCampaign(snapshot, campaignId);
    if (campaign === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
    const sums = await campaignStats(snapshot, campaign);
    return {
      data: campaignStatsOf(campaign, sums),
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
