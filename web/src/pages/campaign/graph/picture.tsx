import { useEffect, useRef, useState } from 'react';
import { useColours } from '../../../colours.ts';
import { Button } from '../../../components/button.tsx';
import type { Forest } from './forest.ts';
import styles from './graph.module.css';
import { type Drawing, Layouter } from './layouter.ts';
import { graphColours, legend } from './look.ts';
import { GraphPicture } from './renderer.ts';

interface PictureProps {
  readonly forest: Forest;
  /** Whether all of it is being loaded. */
  readonly growing: boolean;
  /** Text alternative of the picture. */
  readonly label: string;
  /** The node whose ancestry is lit up. */
  readonly focused: string | null;
  /** The node that was chosen: the picture goes there. */
  readonly selected: string | null;
  /** Levels that a sale rewards. */
  readonly rewarded: number;
  readonly onHover: (nodeId: string | null) => void;
  readonly onSelect: (nodeId: string | null) => void;
}

/** How many times as large a growing graph is when it is drawn again. */
const GROWTH = 4 / 3;

/** The graph as a picture, by WebGL; without it, a note that says where the same is as text. */
export function Picture(props: PictureProps) {
  const [able] = useState(hasWebGl);
  if (able) return <DrawnPicture {...props} />;
  return (
    <p className="soft">
      This browser has no WebGL, so there is no picture. The list of links shows the same.
    </p>
  );
}

function DrawnPicture({
  forest,
  growing,
  label,
  focused,
  selected,
  rewarded,
  ...on
}: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [picture, setPicture] = useState<GraphPicture>();
  const drawing = useDrawing(forest, growing);
  const colours = useColours(graphColours);
  const events = useRef({ on, colours });
  events.current = { on, colours };

  useEffect(() => {
    if (frame.current === null) return;
    const made = new GraphPicture(frame.current, events.current.colours, {
      onHover: (nodeId) => events.current.on.onHover(nodeId),
      onSelect: (nodeId) => events.current.on.onSelect(nodeId),
    });
    setPicture(made);
    return () => made.close();
  }, []);
  useEffect(() => picture?.setColours(colours), [picture, colours]);
  useEffect(() => {
    if (drawing) picture?.show(drawing);
  }, [picture, drawing]);
  useEffect(() => {
    if (drawing) picture?.highlight(focused, rewarded);
  }, [picture, drawing, focused, rewarded]);
  useEffect(() => {
    if (drawing && selected !== null) picture?.goTo(selected);
  }, [picture, drawing, selected]);
  usePageScrolls(frame);

  return (
    <div className={styles.picture}>
      <div ref={frame} className={styles.canvas} role="img" aria-label={label} />
      <fieldset className={styles.zoom}>
        <legend className="visually-hidden">Picture</legend>
        <Button aria-label="Zoom in" onClick={() => picture?.zoom('in')}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => picture?.zoom('out')}>
          −
        </Button>
        <Button onClick={() => picture?.zoom('fit')}>Fit</Button>
      </fieldset>
      <ul className={styles.legend}>
        {legend.map(([colour, text]) => (
          <li key={colour}>
            <span
              className={styles.dot}
              style={{ background: `var(--${colour})` }}
              aria-hidden="true"
            />
            {text}
          </li>
        ))}
      </ul>
      <p className={`soft ${styles.hint}`}>Drag to move, Ctrl and wheel or two fingers to zoom.</p>
    </div>
  );
}

/**
 * The newest drawing of a forest; the one before stays until the next is laid out. While it grows,
 * it is drawn again only when it has grown by a third: each drawing is work for the whole of it.
 */
function useDrawing(forest: Forest, growing: boolean): Drawing | undefined {
  const [drawing, setDrawing] = useState<Drawing>();
  const layouter = useRef<Layouter>(undefined);
  const laid = useRef(0);
  useEffect(() => {
    const made = new Layouter(setDrawing);
    layouter.current = made;
    laid.current = 0;
    return () => made.close();
  }, []);
  useEffect(() => {
    const { size } = forest.nodes;
    if (growing && size < laid.current * GROWTH) return;
    laid.current = size;
    layouter.current?.lay(forest);
  }, [forest, growing]);
  return drawing;
}

/** Lets the wheel scroll the page, as everywhere, unless Ctrl is held: then it zooms. */
function usePageScrolls(frame: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const element = frame.current;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    };
    element?.addEventListener('wheel', onWheel, { capture: true, passive: true });
    return () => element?.removeEventListener('wheel', onWheel, { capture: true });
  }, [frame]);
}

function hasWebGl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
