import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { readAnalytics } from '../../resources/analytics/read-analytics.ts';
import { requireOwnCampaignIds } from '../../resources/campaigns/find-campaign.ts';

/** `analytics.merchant`: analytics of all campaigns of the caller, or of some. */
export const merchant: Handler<'analytics.merchant'> = async (
  { campaignIds, range },
  { pool, deployment },
  { merchant },
) =>
  await readLedger(pool, async (snapshot) => {
    const own = campaignIds && (await requireOwnCampaignIds(snapshot, campaignIds, merchant));
    const scope = { merchant, campaignIds: own, comparedIds: [], range };
    const answer = await readAnalytics(snapshot, scope);
    return { ...answer, chain: chainMeta(deployment, snapshot.head) };
  });
