import { z } from 'zod';
import { ancestryOf } from '../../../db/read/graph/ancestry.ts';
import { readOneAsOf } from '../../as-of.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT, requireChain } from '../../handler-types.ts';
import { cursorId, decodeCursor } from '../../input/cursor.ts';
import { pathNode, pathPage } from '../../resources/graph/path-page.ts';

const METHOD = 'graph.ancestry';
const Position = z.tuple([cursorId]);

/** `graph.ancestry`: a node and its ancestors, nearest first. */
export const ancestry: Handler<'graph.ancestry'> = async (input, deps) => {
  const { chainId, nodeId, atBlock, limit = PAGE_LIMIT } = input;
  const { deployment } = deps;
  requireChain(deps, chainId);
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const read = ancestryOf({ nodeId, from: position?.[0], limit: limit + 1 });
  const { head, value } = await readOneAsOf(deps, atBlock, read);
  if (value === undefined) throw notFound(`There is no node ${nodeId}.`);
  const { first, policy, path } = value;
  const page = pathPage(path, limit, scope);
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
    chain: chainMeta(deployment, head, first.join.blockNumber, first.campaignId),
  };
};
