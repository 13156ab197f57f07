import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Method } from '../../../engine/contract/define.ts';
import { isForEverybody } from '../../../engine/http/public-reads.ts';
import { exampleInputs, served } from './record-example.ts';
import { requestOf } from './requests.ts';
import type { SampleApi } from './sample-api.ts';

/** Largest response of a public read, as it is sent to a client that takes gzip. */
const MAX_BYTES = 256_000;

/**
 * Processor time of a public read that no cache answers, in units of `work`. A unit took 0.67 ms when the budget was set, so
 * it is 5 ms.
 */
const MAX_UNITS = 7.5;

/** Reads that ask the chain or compute proofs: few of them run concurrently (docs/operate/run.md#limits). */
const OWN_LIMIT = new Set(['receipts.bundle', 'receipts.verify']);

/** Requests whose processor time is measured together. */
const REQUESTS = 15;

/** Measurements of a read: a busy machine makes some too large, and none too small. */
const MEASUREMENTS = 5;

/** Public reads, by the names of their examples. */
export const publicReads = served.filter(
  ([, method]) => method.method === 'GET' && isForEverybody(method),
);

/** Expects that a public read without a cache keeps to its size and its processor time. */
export async function expectWithinBudget(
  sample: SampleApi,
  name: string,
  method: Method,
): Promise<void> {
  const send = await senderOf(sample, name, method);
  expect(await send()).toBeLessThanOrEqual(MAX_BYTES);
  if (method.serving?.long || OWN_LIMIT.has(method.name)) return;
  expect(await unitsOf(send)).toBeLessThanOrEqual(MAX_UNITS);
}

/** Sends the request of a method's example, uncached, and returns the size of its response. */
async function senderOf(
  sample: SampleApi,
  name: string,
  method: Method,
): Promise<() => Promise<number>> {
  const { params = {}, query = {}, body = {} } = (await exampleInputs[name]?.(sample)) ?? {};
  const { path, init } = requestOf(method, { params, query, body }, { 'accept-encoding': 'gzip' });
  const app = sample.fixture.app({ cacheMiB: 0 });
  return async () => {
    const response = await app.request(path, init);
    expect(response.status).toBe(200);
    return (await response.arrayBuffer()).byteLength;
  };
}

/** Smallest processor time of a request, in units. */
async function unitsOf(send: () => Promise<unknown>): Promise<number> {
  // Compiled, and its statements prepared.
  for (let i = 0; i < REQUESTS; i += 1) await send();
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MEASUREMENTS && least > MAX_UNITS; i += 1) {
    const unit = await cpuOf(async () => work());
    least = Math.min(least, (await cpuOf(send)) / unit);
  }
  return least;
}

async function cpuOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const text = JSON.stringify(Array.from({ length: 1_000 }, (_, i) => ({ i, name: `name ${i}` })));

/** A unit of the kind of work that an API does: JSON and a hash. */
function work(): void {
  for (let i = 0; i < 2; i += 1) {
    createHash('sha1')
      .update(JSON.stringify(JSON.parse(text)))
      .digest('hex');
  }
}
