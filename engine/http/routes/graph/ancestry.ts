import { z } from 'zod';
import { ancestryOf } from '../../../db/read/ancestry.ts';
import { readOneAsOf } from '../../as-of.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT, requireChain } from '../../handler.ts';
import { pathNode, pathPage } from '../../path-page.ts';

const METHOD = 'graph.ancestry';
const Place = z.tuple([cursorId]);

/** `graph.ancestry`: a node and its ancestors, nearest first. */
export const ancestry: Handler<'graph.ancestry'> = async (input, deps) => {
  const { chainId, nodeId, atBlock, limit = PAGE_LIMIT } = input;
  const { deployment } = deps;
  requireChain(deps, chainId);
  const place = placeOf(METHOD, input, Place);
  const read = ancestryOf({ nodeId, from: place?.[0], limit: limit + 1 });
  const { head, value } = await readOneAsOf(deps, atBlock, read);
  if (value === undefined) throw new NotFoundError(`There is no node ${nodeId}.`);
  const { first, policy, path } = value;
  const page = pathPage(path, limit, { method: METHOD, input });
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
