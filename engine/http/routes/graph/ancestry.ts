import { z } from 'zod';
import { getCampaign } from '../../../db/read/get-campaign.ts';
import { getNode } from '../../../db/read/nodes.ts';
import { readAsOf } from '../../as-of.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT, requireChain } from '../../handler.ts';
import { pathNode, readPathPage } from '../../path-page.ts';

const METHOD = 'graph.ancestry';
const Place = z.tuple([cursorId]);

/** `graph.ancestry`: a node and its ancestors, nearest first. */
export const ancestry: Handler<'graph.ancestry'> = async (input, deps) => {
  const { chainId, nodeId, atBlock, limit = PAGE_LIMIT } = input;
  const { deployment } = deps;
  requireChain(deps, chainId);
  const place = placeOf(METHOD, input, Place);
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const first = await getNode(snapshot, { nodeId });
    const campaign = first && (await getCampaign(snapshot, first.campaignId));
    if (first === undefined || campaign === undefined) {
      throw new NotFoundError(`There is no node ${nodeId}.`);
    }
    const page = await readPathPage(snapshot, first, place?.[0], limit, { method: METHOD, input });
    const { policy } = campaign;
    return {
      data: {
        chainId,
        campaignId: first.campaignId,
        nodeId: first.nodeId,
        depth: first.depth,
        maxRewardedAncestors: policy.maxRewardedAncestors,
        items: page.nodes.map((node) => pathNode(deployment, first.depth, node, policy)),
        nextCursor: page.nextCursor,
      },
      chain: chainMeta(deployment, snapshot.head, first.join.blockNumber),
    };
  });
};
