import type { z } from 'zod';
import type { AncestryPage } from '../../../contract/shapes/graph.ts';
import type { SplitPolicy } from '../../../core/split.ts';
import { type NodeView, readPath } from '../../../db/read/graph/nodes.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { type CursorScope, encodeCursor } from '../../input/cursor.ts';
import { isoTime } from '../../render/time.ts';
import { txRef } from '../../render/tx-ref.ts';

type PathNode = z.infer<typeof AncestryPage>['items'][number];

export interface PathPage {
  readonly nodes: readonly NodeView[];
  readonly nextCursor: string | null;
}

/**
 * Page of the path from a node up to its root. Strangers can make a path arbitrarily long, so it is read in
 * pages; the cursor names the first node of the next page.
 */
export async function readPathPage(
  { sql, head }: Snapshot,
  first: Pick<NodeView, 'campaignId' | 'nodeId'>,
  from: string | undefined,
  limit: number,
  scope: CursorScope,
): Promise<PathPage> {
  const { campaignId } = first;
  const found = await readPath(sql, head, { campaignId, nodeId: from ?? first.nodeId }, limit + 1);
  return pathPage(found, limit, scope);
}

/** Page of a path. @param found one node more than `limit` if there are more. */
export function pathPage(found: readonly NodeView[], limit: number, scope: CursorScope): PathPage {
  const next = found[limit];
  return {
    nodes: found.slice(0, limit),
    nextCursor: next ? encodeCursor(scope, [next.nodeId]) : null,
  };
}

/** Node of a path whose first node has the given depth; a root has depth 1. */
export function pathNode(
  deployment: ServedDeployment,
  firstDepth: number,
  node: NodeView,
  policy: Pick<SplitPolicy, 'weightsBps'>,
): PathNode {
  const level = firstDepth - node.depth + 1;
  return {
    nodeId: node.nodeId,
    parentNodeId: node.parentNodeId,
    owner: node.owner,
    depth: node.depth,
    level,
    joinedAt: isoTime(node.join.timestamp),
    tx: txRef(deployment, node.join),
    weightBps: policy.weightsBps[level - 1] ?? null,
  };
}
