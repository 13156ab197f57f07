import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Growth of the heap, in percent of what a full collection left, after which V8 begins the next one. It waits for 300 by
 * default.
 */
const HEAP_GROWTH_PERCENT = 200;

/** Bytes of a heap's limit from which on V8 waits that long: with less memory, it collects earlier than this would. */
const MIN_LIMIT_BYTES = 2 * 2 ** 30;

/** Limits the garbage that a process holds of objects which outlive young collections, as those of a batch do. */
export function limitHeapGrowth(): void {
  if (getHeapStatistics().heap_size_limit < MIN_LIMIT_BYTES) return;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
