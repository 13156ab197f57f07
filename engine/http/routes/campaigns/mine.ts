import { z } from 'zod';
import { openDrafts } from '../../../db/read/campaigns/drafts.ts';
import { campaignsWithSettings } from '../../../db/read/campaigns/with-settings.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { ownCampaign, ownDraft } from '../../render/own-campaign.ts';

const METHOD = 'campaigns.mine';
/** Kind and key of the last item of a page. */
const Position = z.tuple([z.enum(['draft', 'campaign']), cursorId]);

/**
 * `campaigns.mine`: unpublished drafts, then campaigns, each newest first. With a status, only campaigns:
 * a draft has none.
 */
export const mine: Handler<'campaigns.mine'> = async (
  input,
  { pool, deployment },
  { merchant: address },
) => {
  const { limit = PAGE_LIMIT, kind, status } = input;
  // The account is part of the scope: a cursor of one account is not valid for another.
  const scope = { method: METHOD, input: { ...input, account: address } };
  const position = decodeCursor(scope, Position);
  return await readLedger(pool, async (snapshot) => {
    const drafts =
      kind === 'campaign' || status !== undefined || position?.[0] === 'campaign'
        ? []
        : await openDrafts(snapshot, address, { after: position?.[1], limit: limit + 1 });
    const after = position?.[0] === 'campaign' ? position[1] : undefined;
    const room = limit + 1 - drafts.length;
    const campaigns =
      kind === 'draft' || room === 0
        ? []
        : await campaignsWithSettings(snapshot, address, { status, after, limit: room });
    const rows = [
      ...drafts.map((draft) => ({
        item: ownDraft(draft, snapshot.head.timestamp),
        position: ['draft', draft.key],
      })),
      ...campaigns.map((one) => ({
        item: ownCampaign(deployment, one),
        position: ['campaign', one.campaign.campaignId],
      })),
    ];
    const { items, nextCursor } = pageOf(rows, limit, scope, (row) => row.position);
    return {
      data: {
        items: items.map(({ item }) => item),
        nextCursor,
      },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
