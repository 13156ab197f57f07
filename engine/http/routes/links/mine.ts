import { z } from 'zod';
import { earningsOfCampaigns } from '../../../db/read/earnings.ts';
import { ownNodes } from '../../../db/read/own-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { campaignFilter } from '../../campaign-filter.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { earnedPage } from '../../earned-page.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { ownLink } from '../../render/own-link.ts';

const METHOD = 'links.mine';
const Place = z.tuple([cursorId, cursorId]);

/** `links.mine`: the caller's nodes, newest first, each with what only its owner is told. */
export const mine: Handler<'links.mine'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT } = input;
  const { pool, deployment } = deps;
  const account = session.address;
  const campaignId = campaignFilter(input.campaignId);
  const place = placeOf(METHOD, input, Place);
  const after = place && { nodeId: place[0], campaignId: place[1] };
  return await readLedger(pool, async (snapshot) => {
    const page = { after, limit: limit + 1 };
    const found = await ownNodes(snapshot, { account, campaignId }, page);
    const campaignIds = [...new Set(found.map((node) => node.campaignId))];
    const earned = await earningsOfCampaigns(snapshot, { account, campaignIds });
    const rows = found.flatMap((node) => {
      const rewards = earned.get(node.campaignId)?.rewards;
      return rewards ? [{ campaignId: node.campaignId, node, rewards }] : [];
    });
    const data = await earnedPage(
      snapshot,
      { found: rows, limit, scope: { method: METHOD, input } },
      ({ node }) => [node.nodeId, node.campaignId],
      ({ node, rewards }, campaign) => ownLink(deployment, campaign, node, rewards),
    );
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });
};
