import { campaignEvents } from '../../../db/read/campaigns/activity.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { campaignActivity } from '../../render/campaign-stats.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

/** `campaigns.activity`: all events of a campaign, newest first. */
export const activity: Handler<'campaigns.activity'> = async (input, { pool, deployment }) => {
  const { campaignId } = input;
  const page = new ListPage('campaigns.activity', input, { seq: cursorId });
  return await readLedger(pool, async (snapshot) => {
    const { head } = snapshot;
    const campaign = await requireCampaign(snapshot, campaignId);
    const { after, limit } = page.query;
    const found = await campaignEvents(snapshot, campaign, { beforeSeq: after?.seq, limit });
    return {
      data: mapItems(page.of(found), (event) =>
        campaignActivity(deployment, { ...event, campaignId }, head),
      ),
      chain: chainMeta(deployment, head, found[0]?.blockNumber, input.campaignId),
    };
  });
};
