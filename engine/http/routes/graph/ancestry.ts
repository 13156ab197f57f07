import { ancestryOf } from '../../../db/read/graph/ancestry.ts';
import { readOneAsOf } from '../../as-of.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler, requireChain } from '../../handler-types.ts';
import { ListPage } from '../../input/cursor.ts';
import { pathNode, pathPage, pathPosition } from '../../resources/graph/path-page.ts';

/** `graph.ancestry`: a node and its ancestors, nearest first. */
export const ancestry: Handler<'graph.ancestry'> = async (input, deps) => {
  const { chainId, nodeId, atBlock } = input;
  const { deployment } = deps;
  requireChain(deps, chainId);
  const list = new ListPage('graph.ancestry', input, pathPosition);
  const { after, limit } = list.query;
  const read = ancestryOf({ nodeId, from: after?.nodeId, limit });
  const { head, value } = await readOneAsOf(deps, atBlock, read);
  if (value === undefined) throw notFound(`There is no node ${nodeId}.`);
  const { first, policy, path } = value;
  const page = pathPage(path, list);
  return {
    data: {
      chainId,
      campaignId: first.campaignId,
      nodeId: first.nodeId,
      depth: first.depth,
      maxRewardedAncestors: policy.maxRewardedAncestors,
      items: page.items.map((node) => pathNode(deployment, first.depth, node, policy)),
      nextCursor: page.nextCursor,
    },
    chain: chainMeta(deployment, head, first.join.blockNumber, first.campaignId),
  };
};
