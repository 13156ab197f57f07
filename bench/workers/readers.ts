import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { percentile } from '../harness/measure.ts';

/** Totals of the readers of all APIs. */
export interface Read {
  readonly requests: number;
  /** Answers 503: given up, because it took too long. */
  readonly refused: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Requests of a visitor of the explorer. */
const PATHS = [
  '/v1/system/status',
  '/v1/campaigns',
  '/v1/receipts',
  '/v1/campaigns/1',
  '/v1/campaigns/2',
] as const;

/** Milliseconds between two requests to one API. */
const PAUSE_MS = 50;

const Answer = z.looseObject({
  meta: z.looseObject({
    chain: z.looseObject({ blockNumber: z.coerce.number() }).nullish(),
  }),
});

/**
 * Reads from each API, one request after the other, until it is stopped.
 * @throws at the end if a request failed with anything but a 503, or was answered as of an older block than before.
 */
export function readFrom(urls: readonly string[]): { stop(): Promise<Read> } {
  const stopping = new AbortController();
  const seen = { times: [] as number[], refused: 0 };
  const readers = urls.map((url) => readOne(url, seen, stopping.signal));
  const all = Promise.all(readers);
  all.catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      await all;
      const { times, refused } = seen;
      const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
      return { requests: times.length, refused, p50, p99 };
    },
  };
}

async function readOne(
  url: string,
  seen: { readonly times: number[]; refused: number },
  signal: AbortSignal,
): Promise<void> {
  let newest = -1;
  for (let i = 0; !signal.aborted; i += 1) {
    const path = PATHS[i % PATHS.length] ?? '';
    const started = performance.now();
    const response = await fetch(`${url}${path}`);
    const text = await response.text();
    seen.times.push(performance.now() - started);
    if (response.status === 503) {
      seen.refused += 1;
      continue;
    }
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    const block = Answer.parse(JSON.parse(text)).meta.chain?.blockNumber ?? newest;
    if (block < newest) throw new Error(`${path} is as of block ${block}, after ${newest}`);
    newest = block;
    await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
}
