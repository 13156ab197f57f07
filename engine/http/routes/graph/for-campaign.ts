import { z } from 'zod';
import { graphNodes } from '../../../db/read/graph/graph-nodes.ts';
import { getNode, type NodeView } from '../../../db/read/graph/nodes.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { graphNode } from '../../render/link.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

/** Levels that are read if the request names no depth: the maximum that a policy rewards. */
const DEFAULT_DEPTH = 5;

const position = {
  depth: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/)
    .transform(Number),
  nodeId: cursorId,
};

/** `graph.forCampaign`: nodes level by level, from all roots or from one node. */
export const forCampaign: Handler<'graph.forCampaign'> = async (input, { pool, deployment }) => {
  const { campaignId, depthMax = DEFAULT_DEPTH } = input;
  const list = new ListPage('graph.forCampaign', input, position);
  const { after, limit } = list;
  return await readLedger(pool, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const root = await rootOf(snapshot, campaign.campaignId, input.root);
    const page = await graphNodes(snapshot, campaign, { root, depthMax, after, limit });
    return {
      data: {
        chainId: deployment.chainId,
        campaignId: campaign.campaignId,
        rootNodeId: root?.nodeId ?? null,
        depthMax,
        nodeCount: campaign.snapshot.counts.nodes,
        items: page.items.map((node) => graphNode(deployment, node)),
        nextCursor: list.cursor(page.more ? page.items.at(-1) : null),
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
