import { type HierarchyPointNode, hierarchy, tree } from 'd3-hierarchy';

/** Room that a node takes along its ring; two rings are at least 1 apart. */
const ROOM = 0.35;

/** The virtual middle, above all roots. */
const MIDDLE = -1;

/**
 * A radial tidy tree: the roots are the innermost ring, each level a ring further out, all as far
 * apart as it takes for the nodes of the most crowded one.
 *
 * @param parents for each node the index of its parent, which comes before it; −1 for a root.
 * @returns x and y of each node, one after the other; the middle is 0, 0.
 */
export function radialLayout(parents: Int32Array): Float32Array {
  const children = childrenOf(parents);
  const laid = tree<number>()
    .size([2 * Math.PI, 1])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.5))(
    hierarchy(MIDDLE, (index) => children.get(index)),
  );
  const gap = gapOf(laid);
  const points = new Float32Array(parents.length * 2);
  laid.each(({ data: index, depth, x: angle }) => {
    if (index === MIDDLE) return;
    const radius = depth * gap;
    points[2 * index] = radius * Math.cos(angle);
    points[2 * index + 1] = radius * Math.sin(angle);
  });
  return points;
}

function childrenOf(parents: Int32Array): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const [index, parent] of parents.entries()) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(index);
    else children.set(parent, [index]);
  }
  return children;
}

/** The distance between two rings: as much as the most crowded ring needs for its nodes. */
function gapOf(laid: HierarchyPointNode<number>): number {
  const counts: number[] = [];
  laid.each(({ depth }) => {
    counts[depth] = (counts[depth] ?? 0) + 1;
  });
  return counts.reduce(
    (gap, count, depth) =>
      depth === 0 ? gap : Math.max(gap, (count * ROOM) / (2 * Math.PI * depth)),
    1,
  );
}
