import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Forest } from './forest.ts';
import styles from './graph.module.css';
import { keyOf, rowsOf } from './rows.ts';
import { stepOf } from './tree-keys.ts';
import { type LineEvents, TreeLine } from './tree-line.tsx';

interface TreeProps extends LineEvents {
  readonly forest: Forest;
  readonly open: ReadonlySet<string>;
  readonly selected: string | null;
  /** The node and its ancestors that are lit up. */
  readonly lit: ReadonlySet<string>;
}

/** Pixels of a line, as the style sheet has it. */
const LINE = 36;
/** Lines that are rendered beyond both ends of the visible part. */
const SPARE = 8;

/**
 * The loaded graph as a tree of text, for keyboard and screen reader (WAI-ARIA tree pattern). Only
 * the lines in sight are in the page, each with its place among its siblings.
 */
export function Tree({ forest, open, selected, lit, ...on }: TreeProps) {
  const rows = useMemo(() => rowsOf(forest, open), [forest, open]);
  const [active, setActive] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const { first, last, onScroll } = useWindow(box, rows.length);
  const focusWanted = useRef(false);
  const activeIndex = Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === active),
  );

  // What was chosen elsewhere is brought into sight here.
  useEffect(() => {
    if (selected === null) return;
    setActive(selected);
    const index = rows.findIndex((row) => keyOf(row) === selected);
    if (index >= 0) bringIntoSight(box.current, index);
  }, [selected, rows]);
  useEffect(() => {
    if (!focusWanted.current) return;
    focusWanted.current = false;
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });

  function goTo(index: number) {
    const row = rows[index];
    if (row === undefined) return;
    focusWanted.current = true;
    setActive(keyOf(row));
    bringIntoSight(box.current, index);
    on.onFocus(row.kind === 'node' ? row.node.nodeId : null);
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = stepOf(event.key, rows, activeIndex);
    if (step === undefined) return;
    event.preventDefault();
    if ('index' in step) goTo(step.index);
    else if ('open' in step) on.onOpen(step.nodeId, step.open);
    else if ('more' in step) on.onMore(step.more);
    else on.onSelect(step.select);
  }

  const shown = rows
    .map((row, index) => ({ row, index }))
    .filter(({ index }) => (index >= first && index <= last) || index === activeIndex);
  return (
    <div
      ref={box}
      className={styles.tree}
      role="tree"
      aria-label="Links by who joined under whom"
      onKeyDown={onKeyDown}
      onScroll={onScroll}
      onMouseLeave={() => on.onFocus(null)}
    >
      <div style={{ height: rows.length * LINE }} role="none">
        {shown.map(({ row, index }) => (
          <TreeLine
            key={keyOf(row)}
            row={row}
            top={index * LINE}
            active={index === activeIndex}
            selected={row.kind === 'node' && row.node.nodeId === selected}
            lit={row.kind === 'node' && lit.has(row.node.nodeId)}
            on={on}
            onActive={() => setActive(keyOf(row))}
          />
        ))}
      </div>
    </div>
  );
}

/** Which lines are in sight. */
function useWindow(box: { readonly current: HTMLElement | null }, count: number) {
  const [top, setTop] = useState(0);
  const height = box.current?.clientHeight ?? 15 * LINE;
  const first = Math.floor(top / LINE) - SPARE;
  const last = Math.min(count, Math.ceil((top + height) / LINE) + SPARE);
  return { first, last, onScroll: () => setTop(box.current?.scrollTop ?? 0) };
}

function bringIntoSight(box: HTMLElement | null, index: number): void {
  if (box === null) return;
  const { scrollTop, clientHeight } = box;
  const top = index * LINE;
  if (top >= scrollTop && top + LINE <= scrollTop + clientHeight) return;
  box.scrollTop = Math.max(0, top - clientHeight / 2);
}
