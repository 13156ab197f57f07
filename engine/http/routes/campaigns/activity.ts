import { z } from 'zod';
import { campaignEvents } from '../../../db/read/campaign-activity.ts';
import { getCampaign } from '../../../db/read/get-campaign.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { campaignActivity } from '../../render/campaign-stats.ts';

const METHOD = 'campaigns.activity';
const Place = z.tuple([cursorId]);

/** `campaigns.activity`: all events of a campaign, newest first. */
export const activity: Handler<'campaigns.activity'> = async (input, { pool, deployment }) => {
  const { campaignId, limit = PAGE_LIMIT } = input;
  const place = placeOf(METHOD, input, Place);
  return await readLedger(pool, async (snapshot) => {
    const { head } = snapshot;
    const campaign = await getCampaign(snapshot, campaignId);
    if (campaign === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
    const page = { beforeSeq: place?.[0], limit: limit + 1 };
    const found = await campaignEvents(snapshot, campaign, page);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return {
      data: {
        items: items.map((event) => campaignActivity(deployment, { ...event, campaignId }, head)),
        nextCursor: last ? encodeCursor({ method: METHOD, input }, [String(last.seq)]) : null,
      },
      chain: chainMeta(deployment, head, items[0]?.blockNumber, input.campaignId),
    };
  });
};
