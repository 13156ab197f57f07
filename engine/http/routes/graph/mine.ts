import { z } from 'zod';
import { ownGraph } from '../../../db/read/own-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { campaignFilter } from '../../campaign-filter.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { graphNode } from '../../render/link.ts';

const METHOD = 'graph.mine';
/** Levels that are read where the request names no depth: as many as a policy rewards at most. */
const DEPTH_MAX = 5;

/** Level, campaign and id of the node where the page before ended. */
const Place = z.tuple([z.string().regex(/^[1-9][0-9]{0,2}$/), cursorId, cursorId]);

/** `graph.mine`: the caller's nodes and those under them, level by level. */
export const mine: Handler<'graph.mine'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT, depthMax = DEPTH_MAX } = input;
  const { pool, deployment } = deps;
  const place = placeOf(METHOD, input, Place);
  const query = {
    account: session.address,
    campaignId: campaignFilter(input.campaignId),
    depthMax,
    after: place && { level: Number(place[0]), campaignId: place[1], nodeId: place[2] },
    limit: limit + 1,
  };
  return await readLedger(pool, async (snapshot) => {
    const found = await ownGraph(snapshot, query);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return {
      data: {
        chainId: deployment.chainId,
        items: items.map((node) => ({
          ...graphNode(deployment, node),
          campaignId: node.campaignId,
          own: node.owner === session.address,
          level: node.level,
        })),
        nextCursor: last
          ? encodeCursor({ method: METHOD, input }, [
              String(last.level),
              last.campaignId,
              last.nodeId,
            ])
          : null,
      },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
