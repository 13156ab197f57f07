import { readLedger } from '../../../db/read/snapshot.ts';
import { readAnalytics } from '../../analytics.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { readOwnCampaigns } from '../../own-campaigns.ts';

/** `analytics.merchant`: the figures of all campaigns of the caller, or of some. */
export const merchantAnalytics: Handler<'analytics.merchant'> = async (
  { campaignIds, range },
  { pool, deployment },
  { session },
) =>
  await readLedger(pool, async (snapshot) => {
    const merchant = session.address;
    const own = campaignIds && (await readOwnCampaigns(snapshot, campaignIds, merchant));
    const scope = { merchant, campaignIds: own, comparedIds: [], range };
    const answer = await readAnalytics(snapshot, scope);
    return { ...answer, chain: chainMeta(deployment, snapshot.head) };
  });
