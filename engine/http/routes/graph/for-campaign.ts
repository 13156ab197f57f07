import { z } from 'zod';
import { graphNodes } from '../../../db/read/graph/graph-nodes.ts';
import { getNode, type NodeView } from '../../../db/read/graph/nodes.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { graphNode } from '../../render/link.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'graph.forCampaign';
/** Levels that are read if the request names no depth: the maximum that a policy rewards. */
const DEFAULT_DEPTH = 5;

/** Depth and id of the last node of the previous page. */
const Position = z.tuple([z.string().regex(/^[1-9][0-9]{0,8}$/), cursorId]);

/** `graph.forCampaign`: nodes level by level, from all roots or from one node. */
export const forCampaign: Handler<'graph.forCampaign'> = async (input, { pool, deployment }) => {
  const { campaignId, limit = PAGE_LIMIT, depthMax = DEFAULT_DEPTH } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { depth: Number(position[0]), nodeId: position[1] };
  return await readLedger(pool, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const root = await rootOf(snapshot, campaign.campaignId, input.root);
    const page = await graphNodes(snapshot, campaign, { root, depthMax, after, limit });
    const last = page.more ? page.items.at(-1) : undefined;
    return {
      data: {
        chainId: deployment.chainId,
        campaignId: campaign.campaignId,
        rootNodeId: root?.nodeId ?? null,
        depthMax,
        nodeCount: campaign.snapshot.counts.nodes,
        items: page.items.map((node) => graphNode(deployment, node)),
        nextCursor: last ? encodeCursor(scope, [String(last.depth), last.nodeId]) : null,
      },
      chain: chainMeta(deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};

/** Node to start from, if the request names one. */
async function rootOf(
  snapshot: Snapshot,
  campaignId: string,
  nodeId: string | undefined,
): Promise<NodeView | undefined> {
  if (nodeId === undefined) return undefined;
  const root = await getNode(snapshot, { nodeId, campaignId });
  if (root !== undefined) return root;
  throw notFound(`There is no node ${nodeId} in campaign ${campaignId}.`);
}
