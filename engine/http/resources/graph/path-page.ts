import type { z } from 'zod';
import type { AncestryPage } from '../../../contract/shapes/graph.ts';
import type { SplitPolicy } from '../../../core/split.ts';
import { type NodeView, readPath } from '../../../db/read/graph/nodes.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import type { ServedDeployment } from '../../deps.ts';
import { cursorId, type ListPage, type Page } from '../../input/cursor.ts';
import { isoTime } from '../../render/time.ts';
import { txRef } from '../../render/tx-ref.ts';

type PathNode = z.infer<typeof AncestryPage>['items'][number];

/** Position in the list of a path: the first node of a page. */
export const pathPosition = { nodeId: cursorId };

type PathPage = ListPage<typeof pathPosition>;

/**
 * Page of the path from a node up to its root. Strangers can make a path arbitrarily long, so it is read in
 * pages; the cursor names the first node of the next page.
 */
export async function readPathPage(
  { sql, head }: Snapshot,
  first: Pick<NodeView, 'campaignId' | 'nodeId'>,
  page: PathPage,
): Promise<Page<NodeView>> {
  const { campaignId } = first;
  const { after = first, limit } = page.query;
  return pathPage(await readPath(sql, head, { campaignId, nodeId: after.nodeId }, limit), page);
}

/** Page of a path. @param found one node more than the page has, if there are more. */
export function pathPage(found: readonly NodeView[], page: PathPage): Page<NodeView> {
  return { items: found.slice(0, page.limit), nextCursor: page.cursor(found[page.limit]) };
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
