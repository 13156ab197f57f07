import { readLedger } from '../../../db/read/snapshot.ts';
import { readAnalytics } from '../../analytics.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { readOwnCampaign } from '../../own-campaign.ts';
import { readOwnCampaigns } from '../../own-campaigns.ts';

/** `analytics.campaign`: the figures of one; `byCampaign` has the others to compare it with. */
export const campaignAnalytics: Handler<'analytics.campaign'> = async (
  { campaignId, campaignIds = [], range },
  { pool, deployment },
  { session },
) =>
  await readLedger(pool, async (snapshot) => {
    const merchant = session.address;
    const campaign = await readOwnCampaign(snapshot, campaignId, merchant);
    const comparedIds = await readOwnCampaigns(snapshot, campaignIds, merchant);
    const scope = { merchant, campaignIds: [campaign.campaignId], comparedIds, range };
    const answer = await readAnalytics(snapshot, scope);
    return {
      ...answer,
      chain: chainMeta(deployment, snapshot.head, undefined, [campaignId, ...campaignIds]),
    };
  });
