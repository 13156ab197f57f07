import { countOf } from '../../../format.ts';
import type { ForestNode } from './forest.ts';
import styles from './graph.module.css';
import { nodeText } from './look.ts';
import type { TreeRow } from './rows.ts';

/** Events of a line of the tree, by keyboard or pointer. */
export interface LineEvents {
  readonly onOpen: (nodeId: string, open: boolean) => void;
  readonly onSelect: (nodeId: string) => void;
  /** The keyboard or the pointer is on a node, or on none. */
  readonly onFocus: (nodeId: string | null) => void;
  /** More children of a node are asked for. */
  readonly onMore: (nodeId: string) => void;
}

interface LineProps {
  readonly row: TreeRow;
  /** Pixels from the top of the tree. */
  readonly top: number;
  /** Whether the keyboard enters the tree here. */
  readonly active: boolean;
  readonly selected: boolean;
  readonly lit: boolean;
  readonly on: LineEvents;
  readonly onActive: () => void;
}

/** Levels beyond which a line is moved in no further. */
const LEVELS_SHOWN = 8;

/** A line of the tree. Its keys are the tree’s, for they go from one line to another. */
export function TreeLine({ row, top, active, selected, lit, on, onActive }: LineProps) {
  const depth = row.kind === 'node' ? row.node.depth : row.depth;
  const inset = 0.5 + Math.min(depth - 1, LEVELS_SHOWN) * 0.6;
  const style = { top, paddingInlineStart: `${inset}rem` };
  if (row.kind === 'more') {
    const { missing, parent } = row;
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys of all lines.
      <div
        role="treeitem"
        className={styles.line}
        style={style}
        tabIndex={active ? 0 : -1}
        aria-level={depth}
        aria-selected={false}
        onClick={() => on.onMore(parent.nodeId)}
      >
        <span className={styles.more}>
          Load more: {countOf(missing, 'link')} below link {parent.nodeId}
        </span>
      </div>
    );
  }
  const { node, position, siblings, open } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys of all lines.
    <div
      role="treeitem"
      className={styles.line}
      style={style}
      tabIndex={active ? 0 : -1}
      data-lit={lit || undefined}
      aria-level={depth}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={open ?? undefined}
      aria-selected={selected}
      onClick={() => {
        onActive();
        on.onSelect(node.nodeId);
      }}
      onFocus={() => on.onFocus(node.nodeId)}
      onMouseEnter={() => on.onFocus(node.nodeId)}
    >
      <span
        className={styles.twist}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          onActive();
          if (open !== null) on.onOpen(node.nodeId, !open);
        }}
      >
        {open === null ? '' : open ? '▾' : '▸'}
      </span>
      <span className={styles.name}>{nodeText(node)}</span>
      <span className={styles.counts}>{countsOf(node)}</span>
    </div>
  );
}

function countsOf({ sales, childCount }: ForestNode): string {
  return [sales ? countOf(sales, 'sale') : '', childCount ? countOf(childCount, 'link') : '']
    .filter((part) => part !== '')
    .join(', ');
}
