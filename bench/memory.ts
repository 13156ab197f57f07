/**
 * Shows that the memory of an API does not grow under mixed load: `npm run bench:memory`
 * (bench/performance.md#memory). It takes twelve minutes, and so is not a part of `npm run bench`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { toRequest } from '../engine/client/request.ts';
import { methods } from '../engine/contract/registry.ts';
import { readExamples } from '../engine/http/openapi/examples.ts';
import { isForEverybody } from '../engine/http/public-reads.ts';
import { spreadOf } from './harness/measure.ts';
import { whileStarted } from './support/started.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '12' } } });
const MINUTES = Number(values.minutes);

/** Clients that ask concurrently. */
const CLIENTS = 8;

/** Share of the minutes in which caches fill and code is compiled. */
const WARM = 0.4;

/** Growth of the median from the first to the second half of the rest that counts as flat. */
const MAX_GROWTH = 0.1;

const SAMPLE_MS = 2_000;

const paths = publicPaths();

await whileStarted('memory', { RATE_LIMIT_PER_MINUTE: '1000000' }, 300_000, async (started) => {
  const pid = await apiOf(started.pid);
  const stop = performance.now() + MINUTES * 60_000;
  const statuses = new Map<number, number>();
  const clients = Array.from({ length: CLIENTS }, (_, i) =>
    load(started.url, i + 1, stop, statuses),
  );
  const samples: number[] = [];
  while (performance.now() < stop) {
    await setTimeout(SAMPLE_MS);
    samples.push(await residentMegabytes(pid));
  }
  await Promise.all(clients);
  report(samples, statuses);
});

function report(samples: readonly number[], statuses: ReadonlyMap<number, number>): void {
  const perMinute = 60_000 / SAMPLE_MS;
  const minutes = Array.from({ length: Math.floor(samples.length / perMinute) }, (_, minute) =>
    spreadOf(samples.slice(minute * perMinute, (minute + 1) * perMinute)),
  );
  console.table(minutes.map(({ least, median, most }) => ({ 'least, MB': least, median, most })));
  console.table(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
  const warm = samples.slice(samples.length * WARM);
  const half = Math.floor(warm.length / 2);
  const [before, after] = [warm.slice(0, half), warm.slice(half)].map((part) => spreadOf(part));
  const growth = (after?.median ?? 0) / (before?.median ?? 1) - 1;
  console.log(`growth of the median: ${(growth * 100).toFixed(1)} %, aim: ≤ ${MAX_GROWTH * 100} %`);
  process.exitCode = growth <= MAX_GROWTH ? 0 : 1;
}

/** A client that asks for everything that anybody may, in its own order: also for what is not there, and for streams. */
async function load(
  url: string,
  seed: number,
  stop: number,
  statuses: Map<number, number>,
): Promise<void> {
  let next = seed * 7_919;
  while (performance.now() < stop) {
    next = (next * 1_103_515_245 + 12_345) % 2_147_483_648;
    const path = paths[next % paths.length] ?? '/';
    const turn = Math.floor(next / 1_024) % 16;
    const status = await ask(url, path, turn, next).catch(() => 0);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

/** Asks in one of several ways. @returns the status, or 0 without a response. */
async function ask(url: string, path: string, turn: number, random: number): Promise<number> {
  if (turn === 0) return await leave(`${url}/v1/stream`, 200);
  // Aborted while it is made.
  if (turn === 1) return await leave(url + path, random % 20);
  // Not cached yet, not there, or no JSON.
  if (turn === 2)
    return await answered(`${url}${path}${path.includes('?') ? '&' : '?'}x=${random}`);
  if (turn === 3) return await answered(`${url}/v1/campaigns?limit=${(random % 100) + 1}`);
  if (turn === 4) return await answered(`${url}/v1/receipts/31337/${random}`);
  if (turn === 5) {
    const headers = { 'content-type': 'application/json' };
    return await answered(`${url}/v1/auth/nonce`, {
      method: 'POST',
      headers,
      body: `{"x":${random}`,
    });
  }
  return await answered(url + path, {
    headers: turn % 2 === 0 ? { 'accept-encoding': 'identity' } : {},
  });
}

async function answered(address: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(address, init);
  await response.arrayBuffer();
  return response.status;
}

async function leave(address: string, afterMs: number): Promise<number> {
  const leaving = new AbortController();
  const asked = fetch(address, { signal: leaving.signal });
  const status = asked.then((response) => response.status);
  status.catch(() => {});
  await setTimeout(afterMs);
  const seen = await Promise.race([status, setTimeout(0, 0)]);
  leaving.abort();
  return seen;
}

/** Paths of all reads that anybody may send, as recorded from the sample. */
function publicPaths(): string[] {
  const examples = readExamples();
  return methods.flatMap((method) => {
    const request = examples[method.name]?.request;
    if (method.method !== 'GET' || !isForEverybody(method) || request === undefined) return [];
    return [toRequest(method, { ...request.params, ...request.query }).path];
  });
}

/** The process of the API among the descendants of `start`. */
async function apiOf(start: number): Promise<number> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
    if (parent === start && command.split('\0').includes('api')) return Number(name);
  }
  throw new Error('the API of `start` was not found');
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024);
}
