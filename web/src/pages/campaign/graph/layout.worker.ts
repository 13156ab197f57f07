import { radialLayout } from './layout.ts';

/** Computes the layout outside the page's thread: 10,000 nodes would make it stutter. */
addEventListener('message', ({ data: parents }: MessageEvent<Int32Array>) => {
  const points = radialLayout(parents);
  postMessage(points, { transfer: [points.buffer] });
});
