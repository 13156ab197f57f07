/** Makes objects that outlive young collections, and prints the most MiB that the heap had. */
import { limitHeapGrowth } from '../../engine/cli/heap-growth.ts';

const LIVE = 300_000;
const MADE = 20 * LIVE;

if (process.argv[2] === 'limited') limitHeapGrowth();
const live = Array.from({ length: LIVE }, (_, i) => ({ number: i, list: [i, i] }));
let peak = 0;
for (let made = 0; made < MADE; made += 1) {
  live[made % LIVE] = { number: made, list: [made, made] };
  if (made % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().heapTotal);
}
console.log(Math.round(peak / 2 ** 20));
