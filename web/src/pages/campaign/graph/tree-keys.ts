import type { TreeRow } from './rows.ts';

/** Effect of a key on a line of the tree. */
export type TreeMove =
  | { readonly index: number }
  | { readonly nodeId: string; readonly open: boolean }
  | { readonly more: string }
  | { readonly select: string };

/** Lines that a page of the keyboard is. */
const PAGE = 10;

/** The keys of the WAI-ARIA tree pattern; `undefined` for a key that it leaves to the browser. */
export function stepOf(key: string, rows: readonly TreeRow[], at: number): TreeMove | undefined {
  const row = rows[at];
  const last = rows.length - 1;
  if (row === undefined) return undefined;
  switch (key) {
    case 'ArrowDown':
      return { index: Math.min(last, at + 1) };
    case 'ArrowUp':
      return { index: Math.max(0, at - 1) };
    case 'PageDown':
      return { index: Math.min(last, at + PAGE) };
    case 'PageUp':
      return { index: Math.max(0, at - PAGE) };
    case 'Home':
      return { index: 0 };
    case 'End':
      return { index: last };
    case 'ArrowRight':
      return right(row, at);
    case 'ArrowLeft':
      return left(rows, row, at);
    case 'Enter':
    case ' ':
      return row.kind === 'more' ? { more: row.parent.nodeId } : { select: row.node.nodeId };
    default:
      return undefined;
  }
}

/** Opens a closed node; of an open one, goes to its first child. */
function right(row: TreeRow, at: number): TreeMove | undefined {
  if (row.kind === 'more' || row.open === null) return undefined;
  return row.open ? { index: at + 1 } : { nodeId: row.node.nodeId, open: true };
}

/** Closes an open node; of any other line, goes to its parent. */
function left(rows: readonly TreeRow[], row: TreeRow, at: number): TreeMove | undefined {
  if (row.kind === 'node' && row.open === true) return { nodeId: row.node.nodeId, open: false };
  const parent = row.kind === 'node' ? row.node.parentNodeId : row.parent.nodeId;
  const index = rows.findIndex((one) => one.kind === 'node' && one.node.nodeId === parent);
  return index < 0 || index === at ? undefined : { index };
}
