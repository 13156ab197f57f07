import { compareIds } from '../../../../../engine/core/merkle.ts';

/** A node of the referral graph, as the picture and the tree show it. */
export interface ForestNode {
  readonly nodeId: string;
  /** null for a root. */
  readonly parentNodeId: string | null;
  /** 1 for a root. */
  readonly depth: number;
  readonly owner: string;
  readonly ownerHandle: string | null;
  /** Referral code; null for a node that has none. */
  readonly code: string | null;
  /** Nodes directly under it, loaded or not; null if not known yet. */
  readonly childCount: number | null;
  /** Sales through this node itself; null if not known yet. */
  readonly sales: number | null;
  readonly joinedAt: string;
}

/** The part of a campaign's graph that is loaded. A node is in it only with all its ancestors. */
export interface Forest {
  readonly nodes: ReadonlyMap<string, ForestNode>;
  /** By parent, in the order of ids; the roots are under the empty text. */
  readonly children: ReadonlyMap<string, readonly string[]>;
}

export const EMPTY_FOREST: Forest = { nodes: new Map(), children: new Map() };

/** The key of the roots in `children`. */
export const ROOTS = '';

const parentKey = (node: ForestNode): string => node.parentNodeId ?? ROOTS;

/**
 * The forest with these nodes added: a known one is updated. A node whose parent
 * is neither there nor among them is left out, because it could not be drawn.
 */
export function withNodes(forest: Forest, added: readonly ForestNode[]): Forest {
  const nodes = new Map(forest.nodes);
  const touched = new Map<string, string[]>();
  for (const node of [...added].sort((a, b) => a.depth - b.depth)) {
    const parent = parentKey(node);
    if (parent !== ROOTS && !nodes.has(parent)) continue;
    const known = nodes.get(node.nodeId);
    nodes.set(node.nodeId, known ? merged(known, node) : node);
    if (known !== undefined) continue;
    const siblings = touched.get(parent) ?? [...(forest.children.get(parent) ?? [])];
    siblings.push(node.nodeId);
    touched.set(parent, siblings);
  }
  const children = new Map(forest.children);
  for (const [parent, ids] of touched) children.set(parent, ids.sort(compareIds));
  return { nodes, children };
}

function merged(known: ForestNode, node: ForestNode): ForestNode {
  return {
    ...node,
    ownerHandle: node.ownerHandle ?? known.ownerHandle,
    code: node.code ?? known.code,
    childCount: node.childCount ?? known.childCount,
    sales: node.sales ?? known.sales,
  };
}

/** The node and its ancestors up to the root, nearest first; empty for one that is not loaded. */
export function ancestryOf(forest: Forest, nodeId: string): ForestNode[] {
  const path: ForestNode[] = [];
  let node = forest.nodes.get(nodeId);
  while (node !== undefined) {
    path.push(node);
    node = node.parentNodeId === null ? undefined : forest.nodes.get(node.parentNodeId);
  }
  return path;
}

export const childrenOf = (forest: Forest, nodeId: string): readonly string[] =>
  forest.children.get(nodeId) ?? [];

/** Number of child nodes that are not loaded; 0 if not known. */
export function hiddenChildren(forest: Forest, node: ForestNode): number {
  return Math.max(0, (node.childCount ?? 0) - childrenOf(forest, node.nodeId).length);
}
