import { z } from 'zod';
import { campaignEvents } from '../../../db/read/campaigns/activity.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { campaignActivity } from '../../render/campaign-stats.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'campaigns.activity';
const Position = z.tuple([cursorId]);

/** `campaigns.activity`: all events of a campaign, newest first. */
export const activity: Handler<'campaigns.activity'> = async (input, { pool, deployment }) => {
  const { campaignId, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  return await readLedger(pool, async (snapshot) => {
    const { head } = snapshot;
    const campaign = await requireCampaign(snapshot, campaignId);
    const page = { beforeSeq: position?.[0], limit: limit + 1 };
    const found = await campaignEvents(snapshot, campaign, page);
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [String(one.seq)]);
    return {
      data: {
        items: items.map((event) => campaignActivity(deployment, { ...event, campaignId }, head)),
        nextCursor,
      },
      chain: chainMeta(deployment, head, items[0]?.blockNumber, input.campaignId),
    };
  });
};
