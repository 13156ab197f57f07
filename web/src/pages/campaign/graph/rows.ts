import { childrenOf, type Forest, type ForestNode, hiddenChildren, ROOTS } from './forest.ts';

/** A line of the tree that is shown as text: a node, or an offer to load those that are missing. */
export type TreeRow =
  | {
      readonly kind: 'node';
      readonly node: ForestNode;
      /** Place among its siblings, from 1, and how many there are, loaded or not. */
      readonly position: number;
      readonly siblings: number;
      /** null where it has no children. */
      readonly open: boolean | null;
    }
  | {
      readonly kind: 'more';
      /** Whose children are missing. */
      readonly parent: ForestNode;
      readonly depth: number;
      readonly missing: number;
    };

/**
 * The lines of the tree, top down: the children of open nodes alone. Without recursion, for a chain
 * of referrals may be longer than a call stack.
 */
export function rowsOf(forest: Forest, open: ReadonlySet<string>, rootCount?: number): TreeRow[] {
  const rows: TreeRow[] = [];
  const waiting: TreeRow[] = levelOf(forest, open, ROOTS, rootCount).reverse();
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    if (row.kind !== 'node' || row.open !== true) continue;
    const { node } = row;
    const missing = hiddenChildren(forest, node);
    if (missing > 0) {
      waiting.push({ kind: 'more', parent: node, depth: node.depth + 1, missing });
    }
    waiting.push(...levelOf(forest, open, node.nodeId, node.childCount ?? undefined).reverse());
  }
  return rows;
}

function levelOf(
  forest: Forest,
  open: ReadonlySet<string>,
  parent: string,
  count: number | undefined,
): TreeRow[] {
  const ids = childrenOf(forest, parent);
  return ids.flatMap((id, index): TreeRow[] => {
    const node = forest.nodes.get(id);
    if (node === undefined) return [];
    const hasChildren = (node.childCount ?? 0) > 0 || childrenOf(forest, id).length > 0;
    const siblings = Math.max(ids.length, count ?? 0);
    return [
      {
        kind: 'node',
        node,
        position: index + 1,
        siblings,
        open: hasChildren ? open.has(id) : null,
      },
    ];
  });
}

/** Which key a line is known by. */
export const keyOf = (row: TreeRow): string =>
  row.kind === 'node' ? row.node.nodeId : `more-${row.parent.nodeId}`;
