import { z } from 'zod';
import { getCampaign } from '../../../db/read/get-campaign.ts';
import { graphNodes } from '../../../db/read/graph-nodes.ts';
import { getNode, type NodeView } from '../../../db/read/nodes.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { graphNode } from '../../render/link.ts';

const METHOD = 'graph.forCampaign';
/** Levels that are read where the request names no depth: as many as a policy rewards at most. */
const DEPTH_MAX = 5;

/** Depth and id of the node where the page before ended. */
const Place = z.tuple([z.string().regex(/^[1-9][0-9]{0,8}$/), cursorId]);

/** `graph.forCampaign`: nodes level by level, from all roots or from one node. */
export const forCampaign: Handler<'graph.forCampaign'> = async (input, { pool, deployment }) => {
  const { campaignId, limit = PAGE_LIMIT, depthMax = DEPTH_MAX } = input;
  const place = placeOf(METHOD, input, Place);
  const after = place && { depth: Number(place[0]), nodeId: place[1] };
  return await readLedger(pool, async (snapshot) => {
    const campaign = await getCampaign(snapshot, campaignId);
    if (campaign === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
    const root = await rootOf(snapshot, campaign.campaignId, input.root);
    const page = await graphNodes(snapshot, campaign, { root, depthMax, after, limit });
    const last = page.more ? page.items.at(-1) : undefined;
    const scope = { method: METHOD, input };
    return {
      data: {
        chainId: deployment.chainId,
        campaignId: campaign.campaignId,
        rootNodeId: root?.nodeId ?? null,
        depthMax,
        nodeCount: campaign.standing.counts.nodes,
        items: page.items.map((node) => graphNode(deployment, node)),
        nextCursor: last ? encodeCursor(scope, [String(last.depth), last.nodeId]) : null,
      },
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};

/** The node to begin at, where one is asked for. */
async function rootOf(
  snapshot: Snapshot,
  campaignId: string,
  nodeId: string | undefined,
): Promise<NodeView | undefined> {
  if (nodeId === undefined) return undefined;
  const root = await getNode(snapshot, { nodeId, campaignId });
  if (root !== undefined) return root;
  throw new NotFoundError(`There is no node ${nodeId} in campaign ${campaignId}.`);
}
