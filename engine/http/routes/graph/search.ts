import { decodeReferralCode } from '../../../core/referral-code.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { type GraphNodeView, nodesById, nodesByOwner } from '../../../db/read/graph/graph-nodes.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorAddress, cursorId, ListPage } from '../../input/cursor.ts';
import { graphNode } from '../../render/link.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const position = { owner: cursorAddress, nodeId: cursorId };

interface Match {
  readonly node: GraphNodeView;
  readonly matched: 'nodeId' | 'code' | 'owner';
}

/** `graph.search`: nodes by id, by referral code, or by the beginning of their owner's address. */
export const search: Handler<'graph.search'> = async (input, { pool, deployment }) => {
  const { campaignId } = input;
  const text = input.q.toLowerCase();
  const page = new ListPage('graph.search', input, position);
  const { after, limit } = page;
  return await readLedger(pool, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const { matches, more } = text.startsWith('0x')
      ? await byOwner(snapshot, campaign, { prefix: text, after, limit })
      : { matches: await byName(snapshot, campaign, text), more: false };
    return {
      data: {
        chainId: deployment.chainId,
        campaignId: campaign.campaignId,
        items: matches.map(({ node, matched }) => ({ ...graphNode(deployment, node), matched })),
        nextCursor: page.cursor(more ? matches.at(-1)?.node : null),
      },
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};

async function byOwner(
  snapshot: Snapshot,
  campaign: CampaignView,
  query: Parameters<typeof nodesByOwner>[2],
): Promise<{ readonly matches: readonly Match[]; readonly more: boolean }> {
  const { items, more } = await nodesByOwner(snapshot, campaign, query);
  return { matches: items.map((node) => ({ node, matched: 'owner' })), more };
}

/** Node with that id, and node with that code: at most two, on a single page. */
async function byName(
  snapshot: Snapshot,
  campaign: CampaignView,
  text: string,
): Promise<readonly Match[]> {
  const coded = decodeReferralCode(text);
  const nodes = await nodesById(snapshot, campaign, [text, ...(coded ? [coded] : [])]);
  return nodes
    .map((node): Match => ({ node, matched: node.nodeId === text ? 'nodeId' : 'code' }))
    .sort((a) => (a.matched === 'nodeId' ? -1 : 1));
}
