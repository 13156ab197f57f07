// Gives memory back to the operating system while a process has nothing to do. V8 keeps the heap of its busiest time: after
// the start, or after a load, most of it is empty, and V8 collects garbage only when something is allocated.
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds between two checks. */
const CHECK_MS = 20_000;

/** Share of time in which the event loop may work and still counts as at rest. */
const MAX_BUSY = 0.1;

/** Bytes that must be gained: a collection costs some tens of milliseconds. */
const MIN_GAIN = 24 * 2 ** 20;

/** Collects garbage whenever the process is at rest and holds much more than it needed after the last time. */
export function releaseMemoryAtRest() {
  let before = performance.eventLoopUtilization();
  let needed = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > MAX_BUSY || process.memoryUsage().heapTotal < needed + MIN_GAIN) return;
    collect();
    needed = process.memoryUsage().heapTotal;
  }, CHECK_MS);
  timer.unref();
}

function collect() {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
