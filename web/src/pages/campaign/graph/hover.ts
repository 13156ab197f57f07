import type { Settings } from 'sigma/settings';
import type { NodeDisplayData, PartialButFor } from 'sigma/types';
import type { GraphColours } from './look.ts';

type Hovered = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>;

/** Pixels between a label and the edge of its plate. */
const PADDING = 4;

/** Draws the node under the pointer: a ring, and its label on a plate in the colours of the theme. */
export function drawHover(
  context: CanvasRenderingContext2D,
  { x, y, size, label }: Hovered,
  { labelSize, labelFont, labelWeight }: Settings,
  colours: GraphColours,
): void {
  context.lineWidth = 2;
  context.strokeStyle = colours.label;
  context.beginPath();
  context.arc(x, y, size + 2, 0, 2 * Math.PI);
  context.stroke();
  if (!label) return;
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
  const width = context.measureText(label).width + 2 * PADDING;
  const height = labelSize + 2 * PADDING;
  const left = x + size + 6;
  context.fillStyle = colours.surface;
  context.beginPath();
  context.roundRect(left, y - height / 2, width, height, PADDING);
  context.fill();
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = colours.label;
  context.fillText(label, left + PADDING, y + labelSize / 3);
}
