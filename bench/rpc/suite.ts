import { setTimeout } from 'node:timers/promises';
import type { IndexerOptions } from '../../engine/cli/stack/indexer.ts';
import type { TestChain } from '../../test/support/chain.ts';
import {
  type CountingRpc,
  type RpcBehaviour,
  startCountingRpc,
} from '../../test/support/counting-rpc.ts';
import { settledToHead, TestDeployment } from '../../test/support/deployment.ts';
import { spreadOf } from '../harness/measure.ts';
import type { Bench, Result, Suite } from '../harness/suite.ts';
import { inDatabase, indexedToHead } from '../support/indexed.ts';
import { type SalesChain, startSalesChain } from '../support/sales-chain.ts';
import { minerOfOtherLogs } from './other-logs.ts';

/** Not anvil's, for which the worker would leave out the tags `safe` and `finalized`. */
const CHAIN_ID = 13_370;

const BLOCK_SECONDS = 2;
const LONGEST_MS = 1_200_000;

/** Counts a deployment's requests to its RPC: a provider charges for every call. */
export const rpcSuite: Suite = {
  name: 'rpc',
  about: 'requests to the RPC, idle, live and while a history is read, through a counting proxy',
  run: async (bench) => [...(await following(bench)), ...(await reading(bench))],
};

/** A deployment whose indexer and worker each have a proxy of their own. */
interface Counted {
  readonly deployment: TestDeployment;
  readonly indexer: CountingRpc;
  readonly worker: CountingRpc;
}

async function counted<T>(
  bench: Bench,
  chain: TestChain,
  changes: Partial<IndexerOptions>,
  behaviour: RpcBehaviour,
  work: (counted: Counted) => Promise<T>,
): Promise<T> {
  const [indexer, worker] = await Promise.all([
    startCountingRpc(chain.anvil.url),
    startCountingRpc(chain.anvil.url),
  ]);
  indexer.reset(behaviour);
  worker.reset(behaviour);
  try {
    return await inDatabase(bench, 'rpc', async (url) => {
      const database = { url, drop: async () => {} };
      const deployment = await TestDeployment.open(chain, { database });
      try {
        await deployment.startIndexer({ rpcUrls: [indexer.url], ...changes });
        deployment.startWorker({ RPC_URL: worker.url });
        return await work({ deployment, indexer, worker });
      } finally {
        await deployment.close();
      }
    });
  } finally {
    await Promise.all([indexer.stop(), worker.stop()]);
  }
}

/** Requests while the chain goes on: of an hour without events, and of a block with a sale. */
async function following(bench: Bench): Promise<readonly Result[]> {
  const seconds = bench.quick ? 30 : 300;
  const blocks = bench.quick ? 8 : 40;
  const sales = await startSalesChain({ chainId: CHAIN_ID });
  const { chain } = sales;
  try {
    for (let i = 0; i < 40; i += 1) await sales.mineSales(1);
    const mineOther = await minerOfOtherLogs(chain);
    const results: Result[] = [];
    const transports = { HTTP: {}, WebSocket: { rpcWsUrl: chain.anvil.url.replace('http', 'ws') } };
    for (const [name, changes] of Object.entries(transports)) {
      bench.log(`${name}: ${seconds} s without events, then ${blocks} blocks with a sale`);
      const polling = { pollingIntervalMs: BLOCK_SECONDS * 1_000, ...changes };
      const calls = await counted(bench, chain, polling, {}, async (parts) => {
        await followed(sales, parts.deployment);
        const idle = await callsWhile(bench, parts, async () => {
          for (let i = 0; i < seconds / BLOCK_SECONDS; i += 1) {
            await Promise.all([mineOther(), setTimeout(BLOCK_SECONDS * 1_000)]);
          }
        });
        const live = await callsWhile(bench, parts, async () => {
          for (let i = 0; i < blocks; i += 1) {
            await Promise.all([sales.mineSales(1), setTimeout(BLOCK_SECONDS * 1_000)]);
          }
        });
        return { idle: (idle * 3_600) / seconds, live: live / blocks };
      });
      results.push(
        line(
          `an hour without events, ${name}`,
          'calls',
          calls.idle,
          name === 'HTTP' ? 5_000 : 2_500,
        ),
        line(`a block with a sale, ${name}`, 'calls', calls.live, 4),
      );
    }
    return results;
  } finally {
    await sales.stop();
  }
}

/** Waits until the ledger is at the head. A WebSocket announces only new blocks: so some are mined. */
async function followed({ chain }: SalesChain, deployment: TestDeployment): Promise<void> {
  const settled = settledToHead(deployment, LONGEST_MS);
  let waiting = true;
  settled.finally(() => {
    waiting = false;
  });
  while (waiting) {
    await chain.client.mine({ blocks: 1 });
    await Promise.race([settled, setTimeout(BLOCK_SECONDS * 1_000)]);
  }
  await settled;
}

/** Requests of a history, and the time until it is indexed. */
async function reading(bench: Bench): Promise<readonly Result[]> {
  const sales = await startSalesChain({ chainId: CHAIN_ID, genesisTimestamp: 1_750_000_000 });
  const { chain } = sales;
  try {
    const results: Result[] = [];
    await fill(bench, sales, 3_000);
    for (const [what, behaviour, rate, most] of [
      ['local', {}, 1_000, 5],
      ['an RPC of 50 ms', { delayMs: 50 }, 1_000, 6],
      ['20 requests/s', { requestsPerSecond: 20 }, 20, 10],
    ] as const) {
      const { ms } = await read(bench, chain, rate, behaviour);
      results.push(line(`3,000 blocks with a sale, ${what}`, 'ms', ms, most * 1_000));
    }
    const blocks = bench.quick ? 3_000 : 100_000;
    await fill(bench, sales, blocks - 3_000);
    const workload = `${blocks} blocks with a sale`;
    const timed = await read(bench, chain, 1_000, {});
    results.push(line(workload, 'calls', timed.calls, 2_000));
    const untimed = await read(bench, chain, 1_000, { withoutTimestamps: true });
    results.push(line(`${workload}, no timestamps`, 'HTTP requests', untimed.httpRequests, 2_500));
    return results;
  } finally {
    await sales.stop();
  }
}

async function fill(bench: Bench, sales: SalesChain, blocks: number): Promise<void> {
  if (blocks > 0) bench.log(`making ${blocks} blocks with a sale`);
  for (let i = 0; i < blocks; i += 1) await sales.mineSales(1);
}

async function read(
  bench: Bench,
  chain: TestChain,
  rpcRequestsPerSecond: number,
  behaviour: RpcBehaviour,
) {
  const started = performance.now();
  return await counted(bench, chain, { rpcRequestsPerSecond }, behaviour, async (parts) => {
    const { deployment, indexer, worker } = parts;
    await indexedToHead(chain, deployment.pool, deployment.indexer.schema, LONGEST_MS);
    const ms = performance.now() - started;
    await settledToHead(deployment, LONGEST_MS);
    const [ours, its] = [worker.counts(), indexer.counts()];
    report(bench, parts, (performance.now() - started) / 1_000);
    return {
      ms,
      calls: ours.calls + its.calls,
      httpRequests: ours.httpRequests + its.httpRequests,
    };
  });
}

async function callsWhile(
  bench: Bench,
  parts: Counted,
  work: () => Promise<void>,
): Promise<number> {
  const { indexer, worker } = parts;
  indexer.reset();
  worker.reset();
  const started = performance.now();
  await work();
  report(bench, parts, (performance.now() - started) / 1_000);
  return indexer.counts().calls + worker.counts().calls;
}

function report(bench: Bench, { indexer, worker }: Counted, seconds: number): void {
  for (const [name, proxy] of Object.entries({ indexer, worker })) {
    const { calls, httpRequests, rejected, bytes, byMethod } = proxy.counts();
    const methods = [...byMethod].map(([method, count]) => `${method} ${count}`).join(', ');
    bench.log(
      `${seconds.toFixed(1)} s, ${name}: ${calls} calls in ${httpRequests} HTTP requests, ${rejected} rejected, ${Math.round(bytes / 1_000)} kB (${methods})`,
    );
  }
}

function line(workload: string, unit: Result['unit'], figure: number, most: number): Result {
  return {
    workload,
    unit,
    ours: spreadOf([figure]),
    ceiling: null,
    ratio: null,
    aim: { text: `≤ ${most.toLocaleString('en-US')}`, met: figure <= most },
    checksum: null,
  };
}
