import type { ColourOf } from '../../../colours.ts';
import { shortHex } from '../../../format.ts';
import type { ForestNode } from './forest.ts';

/** Colours of the picture, each named for what it says. */
export interface GraphColours {
  readonly node: string;
  /** A node that sold. */
  readonly seller: string;
  /** A node with children that are not loaded. */
  readonly more: string;
  /** A level that a sale of the node looked at would reward. */
  readonly path: string;
  /** An ancestor beyond the rewarded levels. */
  readonly beyond: string;
  readonly edge: string;
  readonly label: string;
  readonly surface: string;
}

export const graphColours = (colour: ColourOf): GraphColours => ({
  node: colour('part-5'),
  seller: colour('part-1'),
  more: colour('part-3'),
  path: colour('part-4'),
  beyond: colour('part-2'),
  edge: colour('edge'),
  label: colour('ink'),
  surface: colour('surface'),
});

/** Label of a node: its owner’s handle if that is public, otherwise its id. */
export const labelOf = (node: ForestNode): string => node.ownerHandle ?? `link ${node.nodeId}`;

/** A node in words, for a line of text. */
export function nodeText(node: ForestNode): string {
  const owner = node.ownerHandle ?? shortHex(node.owner);
  return `Link ${node.nodeId}, ${owner}`;
}

/** Pixels across: more for a node that sold more, less where there are many. */
export function baseSize(node: ForestNode, nodes: number): number {
  const crowd = nodes > 3_000 ? 0.45 : nodes > 600 ? 0.7 : 1;
  return (4 + 1.5 * Math.log2(1 + (node.sales ?? 0))) * crowd;
}

/** Entries of the legend: the custom property of each colour, and its meaning. */
export const legend = [
  ['part-1', 'sold'],
  ['part-5', 'no sale yet'],
  ['part-3', 'more links below, not loaded'],
  ['part-4', 'earns from the selected link'],
  ['part-2', 'above it, earns nothing'],
] as const;
