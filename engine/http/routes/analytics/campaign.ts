import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { readAnalytics } from '../../resources/analytics/read-analytics.ts';
import {
  requireOwnCampaign,
  requireOwnCampaignIds,
} from '../../resources/campaigns/find-campaign.ts';

/** `analytics.campaign`: analytics of one campaign; `byCampaign` has the others for comparison. */
export const campaign: Handler<'analytics.campaign'> = async (
  { campaignId, campaignIds = [], range },
  { pool, deployment },
  { merchant },
) =>
  await readLedger(pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, campaignId, merchant);
    const comparedIds = await requireOwnCampaignIds(snapshot, campaignIds, merchant);
    const scope = { merchant, campaignIds: [campaign.campaignId], comparedIds, range };
    const answer = await readAnalytics(snapshot, scope);
    return {
      ...answer,
      chain: chainMeta(deployment, snapshot.head, undefined, [campaignId, ...campaignIds]),
    };
  });
