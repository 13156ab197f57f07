import { z } from 'zod';
import { ownGraph } from '../../../db/read/graph/own-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { graphNode } from '../../render/link.ts';

/** Levels that are read if the request names no depth: the maximum that a policy rewards. */
const DEFAULT_DEPTH = 5;

const position = {
  level: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/)
    .transform(Number),
  campaignId: cursorId,
  nodeId: cursorId,
};

/** `graph.mine`: the caller's nodes and those under them, level by level. */
export const mine: Handler<'graph.mine'> = async (input, deps, { account }) => {
  const { depthMax = DEFAULT_DEPTH } = input;
  const { pool, deployment } = deps;
  const page = new ListPage('graph.mine', input, position);
  const query = {
    account,
    campaignId: campaignFilter(input.campaignId),
    depthMax,
    ...page.query,
  };
  return await readLedger(pool, async (snapshot) => {
    const found = await ownGraph(snapshot, query);
    const { items, nextCursor } = page.of(found);
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
