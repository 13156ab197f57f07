import { campaignStats } from '../../../db/read/campaigns/stats.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignStatsOf } from '../../render/campaign-stats.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

/** `campaigns.stats`: totals of a campaign. */
export const stats: Handler<'campaigns.stats'> = async ({ campaignId, atBlock }, deps) =>
  await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const sums = await campaignStats(snapshot, campaign);
    return {
      data: campaignStatsOf(campaign, sums),
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
