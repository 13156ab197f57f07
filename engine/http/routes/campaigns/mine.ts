import { z } from 'zod';
import { openDrafts } from '../../../db/read/campaigns/drafts.ts';
import { campaignsWithSettings } from '../../../db/read/campaigns/with-settings.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage, mapItems } from '../../input/cursor.ts';
import { ownCampaign, ownDraft } from '../../render/own-campaign.ts';

/** Kind and key of an item. */
const position = { kind: z.enum(['draft', 'campaign']), key: cursorId };

/**
 * `campaigns.mine`: unpublished drafts, then campaigns, each newest first. With a status, only campaigns:
 * a draft has none.
 */
export const mine: Handler<'campaigns.mine'> = async (
  input,
  { pool, deployment },
  { merchant: address },
) => {
  const { kind, status } = input;
  // The account is part of the scope: a cursor of one account is not valid for another.
  const page = new ListPage('campaigns.mine', { ...input, account: address }, position);
  const { after, limit } = page.query;
  return await readLedger(pool, async (snapshot) => {
    const drafts =
      kind === 'campaign' || status !== undefined || after?.kind === 'campaign'
        ? []
        : await openDrafts(snapshot, address, { after: after?.key, limit });
    const afterCampaign = after?.kind === 'campaign' ? after.key : undefined;
    const room = limit - drafts.length;
    const campaigns =
      kind === 'draft' || room === 0
        ? []
        : await campaignsWithSettings(snapshot, address, {
            status,
            after: afterCampaign,
            limit: room,
          });
    const rows = [
      ...drafts.map((draft) => ({
        item: ownDraft(draft, snapshot.head.timestamp),
        end: { kind: 'draft', key: draft.key },
      })),
      ...campaigns.map((one) => ({
        item: ownCampaign(deployment, one),
        end: { kind: 'campaign', key: one.campaign.campaignId },
      })),
    ];
    return {
      data: mapItems(
        page.of(rows, ({ end }) => end),
        ({ item }) => item,
      ),
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
