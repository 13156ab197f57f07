import Graph from 'graphology';
import Sigma from 'sigma';
import { ancestryOf, EMPTY_FOREST, type Forest, hiddenChildren } from './forest.ts';
import { drawHover } from './hover.ts';
import type { Drawing } from './layouter.ts';
import { baseSize, type GraphColours, labelOf } from './look.ts';

/** Events of the picture. */
export interface PictureEvents {
  /** The pointer is on a node, or on none. */
  readonly onHover: (nodeId: string | null) => void;
  readonly onSelect: (nodeId: string | null) => void;
}

/** The campaign itself, in the middle of its graph. */
const MIDDLE = 'campaign';

/** Nodes that can be distinguished while the whole picture is visible. */
const MAX_VISIBLE_NODES = 150;

/** Nodes up to which edges and labels are drawn while the picture moves. */
const NODES_FLUID = 2_000;

/** Milliseconds of a step of the camera. */
const STEP_MS = 250;

/** The graph of a campaign drawn by WebGL: a part of the page that React only hands things to. */
export class GraphPicture {
  readonly #sigma: Sigma;
  #colours: GraphColours;
  #forest: Forest = EMPTY_FOREST;
  /** The node that is looked at, with its ancestors; each with its level. */
  #path: ReadonlyMap<string, number> = new Map();
  #rewarded = 0;

  /** @throws Error where the browser has no WebGL. */
  constructor(container: HTMLElement, colours: GraphColours, events: PictureEvents) {
    this.#colours = colours;
    this.#sigma = new Sigma(new Graph(), container, {
      ...this.#themed(),
      labelFont: getComputedStyle(container).fontFamily,
      labelSize: 12,
      labelDensity: 0.6,
      labelRenderedSizeThreshold: 7,
      defaultDrawNodeHover: (context, data, settings) =>
        drawHover(context, data, settings, this.#colours),
      // Near by, nodes and edges grow less than the distances between them.
      zoomToSizeRatioFunction: (ratio) => Math.max(Math.sqrt(ratio), 0.35),
      minCameraRatio: 0.01,
      maxCameraRatio: 2,
      stagePadding: 24,
      nodeReducer: (id, data) => this.#nodeLook(id, data),
      edgeReducer: (id, data) => this.#edgeLook(id, data),
    });
    this.#sigma.on('enterNode', ({ node }) => events.onHover(node === MIDDLE ? null : node));
    this.#sigma.on('leaveNode', () => events.onHover(null));
    this.#sigma.on('clickNode', ({ node }) => events.onSelect(node === MIDDLE ? null : node));
    this.#sigma.on('clickStage', () => events.onSelect(null));
  }

  /** Draws a forest that was laid out. */
  show({ forest, ids, points }: Drawing): void {
    this.#forest = forest;
    const graph = new Graph();
    graph.addNode(MIDDLE, { x: 0, y: 0 });
    for (const [index, id] of ids.entries()) {
      graph.addNode(id, { x: points[2 * index], y: points[2 * index + 1] });
    }
    for (const id of ids) {
      // Each edge goes by the name of the node below it.
      graph.addEdgeWithKey(id, forest.nodes.get(id)?.parentNodeId ?? MIDDLE, id);
    }
    const many = ids.length > NODES_FLUID;
    this.#sigma.setSettings({ hideEdgesOnMove: many, hideLabelsOnMove: many });
    this.#sigma.setGraph(graph);
  }

  /** Lights up a node and its ancestors, the first `rewarded` of them as rewarded levels. */
  highlight(nodeId: string | null, rewarded: number): void {
    const path = nodeId === null ? [] : ancestryOf(this.#forest, nodeId);
    const drawn = path.filter((node) => this.#sigma.getGraph().hasNode(node.nodeId));
    const before = [...this.#path.keys()];
    this.#path = new Map(drawn.map((node, index) => [node.nodeId, index + 1]));
    this.#rewarded = rewarded;
    const touched = [...new Set([...before, ...this.#path.keys()])].filter((id) =>
      this.#sigma.getGraph().hasNode(id),
    );
    const partialGraph = { nodes: touched, edges: touched };
    this.#sigma.refresh({ partialGraph, skipIndexation: true });
  }

  setColours(colours: GraphColours): void {
    this.#colours = colours;
    this.#sigma.setSettings(this.#themed());
  }

  zoom(direction: 'in' | 'out' | 'fit'): void {
    const camera = this.#sigma.getCamera();
    const step = { duration: stepMs() };
    if (direction === 'fit') void camera.animatedReset(step);
    else if (direction === 'in') void camera.animatedZoom(step);
    else void camera.animatedUnzoom(step);
  }

  /** Brings a node into the middle of the picture, near enough to be distinguished from its neighbours. */
  goTo(nodeId: string): void {
    const at = this.#sigma.getNodeDisplayData(nodeId);
    // What is seen as a whole needs no going.
    if (at === undefined || this.#forest.nodes.size <= MAX_VISIBLE_NODES) return;
    const camera = this.#sigma.getCamera();
    const near = 8 / Math.sqrt(Math.max(64, this.#forest.nodes.size));
    const ratio = Math.min(camera.getState().ratio, Math.max(0.05, near));
    void camera.animate({ x: at.x, y: at.y, ratio }, { duration: stepMs() });
  }

  close(): void {
    this.#sigma.kill();
  }

  #themed() {
    const { label, edge, node } = this.#colours;
    return { labelColor: { color: label }, defaultEdgeColor: edge, defaultNodeColor: node };
  }

  #nodeLook(id: string, data: object) {
    const { colours, level } = { colours: this.#colours, level: this.#path.get(id) };
    if (id === MIDDLE) return { ...data, size: 6, color: colours.label, label: null };
    const node = this.#forest.nodes.get(id);
    if (node === undefined) return data;
    const size = baseSize(node, this.#forest.nodes.size);
    if (level === undefined) {
      const more = hiddenChildren(this.#forest, node) > 0;
      const color = more ? colours.more : node.sales ? colours.seller : colours.node;
      return { ...data, size, color, label: labelOf(node) };
    }
    const color = level <= this.#rewarded ? colours.path : colours.beyond;
    // Only the level of its ancestors: names of near ones would cover each other.
    const label = level === 1 ? labelOf(node) : `level ${level}`;
    return { ...data, size: Math.max(size, 5) + 3, color, label, forceLabel: true, zIndex: 1 };
  }

  #edgeLook(id: string, data: object) {
    const level = this.#path.get(id);
    // Above a root is the campaign, which is no level.
    const root = this.#forest.nodes.get(id)?.parentNodeId === null;
    if (level === undefined || root) return { ...data, size: 1.5, color: this.#colours.edge };
    const color = level < this.#rewarded ? this.#colours.path : this.#colours.beyond;
    return { ...data, size: 3, color, zIndex: 1 };
  }
}

/** No animation if the reader asked for reduced motion. */
function stepMs(): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : STEP_MS;
}
