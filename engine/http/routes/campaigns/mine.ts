import { z } from 'zod';
import { openDrafts } from '../../../db/read/campaign-drafts.ts';
import { campaignsWithSettings } from '../../../db/read/campaigns-with-settings.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { ownCampaign, ownDraft } from '../../render/own-campaign.ts';

const METHOD = 'campaigns.mine';
/** The list that a page ended in, and the key of its last item there. */
const Place = z.tuple([z.enum(['draft', 'campaign']), cursorId]);

/**
 * `campaigns.mine`: drafts that are no campaigns yet, and after them the campaigns, each the newest
 * first. With a status only campaigns: a draft has none.
 */
export const mine: Handler<'campaigns.mine'> = async (input, { pool, deployment }, { session }) => {
  const { limit = PAGE_LIMIT, kind, status } = input;
  const { address } = session;
  // The list of one account is another list than that of another.
  const scope = { method: METHOD, input: { ...input, account: address } };
  const place = placeOf(METHOD, { ...input, account: address }, Place);
  return await readLedger(pool, async (snapshot) => {
    const drafts =
      kind === 'campaign' || status !== undefined || place?.[0] === 'campaign'
        ? []
        : await openDrafts(snapshot, address, { after: place?.[1], limit: limit + 1 });
    const after = place?.[0] === 'campaign' ? place[1] : undefined;
    const room = limit + 1 - drafts.length;
    const campaigns =
      kind === 'draft' || room === 0
        ? []
        : await campaignsWithSettings(snapshot, address, { status, after, limit: room });
    const rows = [
      ...drafts.map((draft) => ({ item: ownDraft(draft), place: ['draft', draft.key] })),
      ...campaigns.map((one) => ({
        item: ownCampaign(deployment, one),
        place: ['campaign', one.campaign.campaignId],
      })),
    ];
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      data: {
        items: rows.slice(0, limit).map(({ item }) => item),
        nextCursor: last ? encodeCursor(scope, last.place) : null,
      },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
