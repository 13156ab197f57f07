import { z } from 'zod';
import { ownGraph } from '../../../db/read/graph/own-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { graphNode } from '../../render/link.ts';

const METHOD = 'graph.mine';
/** Levels that are read if the request names no depth: the maximum that a policy rewards. */
const DEFAULT_DEPTH = 5;

/** Level, campaign and id of the last node of the previous page. */
const Position = z.tuple([z.string().regex(/^[1-9][0-9]{0,2}$/), cursorId, cursorId]);

/** `graph.mine`: the caller's nodes and those under them, level by level. */
export const mine: Handler<'graph.mine'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT, depthMax = DEFAULT_DEPTH } = input;
  const { pool, deployment } = deps;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const query = {
    account,
    campaignId: campaignFilter(input.campaignId),
    depthMax,
    after: position && { level: Number(position[0]), campaignId: position[1], nodeId: position[2] },
    limit: limit + 1,
  };
  return await readLedger(pool, async (snapshot) => {
    const found = await ownGraph(snapshot, query);
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [
      String(one.level),
      one.campaignId,
      one.nodeId,
    ]);
    return {
      data: {
        chainId: deployment.chainId,
        items: items.map((node) => ({
          ...graphNode(deployment, node),
          campaignId: node.campaignId,
          own: node.owner === account,
          level: node.level,
        })),
        nextCursor,
      },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
