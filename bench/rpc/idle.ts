import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { cliCommand, spawnChild } from '../../engine/cli/stack/processes.ts';
import { startTestChain, type TestChain } from '../../test/support/chain.ts';
import { type CountingRpc, startCountingRpc } from '../../test/support/counting-rpc.ts';
import { settledToHead, TestDeployment } from '../../test/support/deployment.ts';
import { spreadOf } from '../harness/measure.ts';
import type { Bench, Result, Suite } from '../harness/suite.ts';
import { inDatabase } from '../support/indexed.ts';
import { minerOfOtherLogs } from './other-logs.ts';

/** Not anvil's, for which requests are left out, and no known chain's: the pace is measured. */
const CHAIN_ID = 13_370;

/** Seconds between two blocks, and the calls of an hour that are the goal, if there is one. */
const BLOCK_TIMES: readonly (readonly [seconds: number, most: number | null])[] = [
  [2, 5_000],
  [12, 5_000],
  [0.25, null],
];

/** The interval of the indexer follows the chain within a minute and a half. */
const WARM_UP_SECONDS = 120;

/** The bill of doing nothing: all parts together, each through a counting proxy of its own. */
export const idleSuite: Suite = {
  name: 'idle',
  about: 'calls and MB of an idle hour at default settings, with blocks of 2, 12 and 0.25 s',
  run: idleHours,
};

async function idleHours(bench: Bench): Promise<readonly Result[]> {
  const hours = await Promise.all(
    BLOCK_TIMES.map(async ([seconds, most]) => {
      const { calls, megabytes } = await idleHour(bench, seconds);
      const what = `an idle hour, blocks of ${seconds} s, default settings`;
      return [line(what, 'calls', calls, most), line(what, 'MB', megabytes, null)];
    }),
  );
  return hours.flat();
}

async function idleHour(bench: Bench, blockSeconds: number) {
  const measuredSeconds = bench.quick ? 60 : 360;
  const chain = await startTestChain({ chainId: CHAIN_ID });
  const proxies = await Promise.all(PARTS.map(() => startCountingRpc(chain.anvil.url)));
  const mining = new AbortController();
  try {
    const mined = mineEvery(chain, blockSeconds, mining.signal);
    return await inDatabase(bench, 'idle', async (url) => {
      const deployment = await TestDeployment.open(chain, {
        database: { url, drop: async () => {} },
      });
      const stopApi = await start(deployment, chain, proxies);
      try {
        await settledToHead(deployment, 120_000);
        await Promise.race([setTimeout(WARM_UP_SECONDS * 1_000), mined]);
        for (const proxy of proxies) proxy.reset();
        await Promise.race([setTimeout(measuredSeconds * 1_000), mined]);
        return totalsOf(bench, proxies, { blockSeconds, measuredSeconds });
      } finally {
        await Promise.all([stopApi(), deployment.close()]);
      }
    });
  } finally {
    mining.abort();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await chain.stop();
  }
}

const PARTS = ['indexer', 'worker', 'api'] as const;

/** Starts all parts as an operator does who has set nothing, each with a proxy of its own. */
async function start(
  deployment: TestDeployment,
  chain: TestChain,
  [indexer, worker, api]: readonly CountingRpc[],
): Promise<() => Promise<void>> {
  await deployment.startIndexer({
    rpcUrls: [indexer?.url ?? ''],
    pollingIntervalMs: undefined,
  });
  deployment.startWorker({ RPC_URL: worker?.url ?? '' });
  const port = String(await freePort());
  const process = spawnChild({
    name: 'api',
    ...cliCommand(['api']),
    env: { ...deployment.variables(), RPC_URL: api?.url ?? '', PORT: port },
    logFile: join(chain.dir, 'api.log'),
  });
  return async () => {
    await process.stop();
  };
}

/** Mines blocks without an event of the contract at a pace, by the clock, until it is stopped. */
async function mineEvery(chain: TestChain, seconds: number, signal: AbortSignal): Promise<void> {
  const mineOther = await minerOfOtherLogs(chain);
  const began = performance.now();
  for (let blocks = 1; !signal.aborted; blocks += 1) {
    const due = began + blocks * seconds * 1_000;
    await setTimeout(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {});
    if (!signal.aborted) await mineOther();
  }
}

function totalsOf(
  bench: Bench,
  proxies: readonly CountingRpc[],
  { blockSeconds, measuredSeconds }: { blockSeconds: number; measuredSeconds: number },
) {
  const an = 3_600 / measuredSeconds;
  const counts = proxies.map((proxy) => proxy.counts());
  for (const [i, { calls, bytes, byMethod }] of counts.entries()) {
    const methods = [...byMethod].map(([method, count]) => `${method} ${count}`).join(', ');
    bench.log(
      `blocks of ${blockSeconds} s, ${PARTS[i]}, an hour: ${Math.round(an * calls)} calls, ${((an * bytes) / 1e6).toFixed(1)} MB (in ${measuredSeconds} s: ${methods})`,
    );
  }
  return {
    calls: an * counts.reduce((sum, { calls }) => sum + calls, 0),
    megabytes: (an * counts.reduce((sum, { bytes }) => sum + bytes, 0)) / 1e6,
  };
}

function line(workload: string, unit: 'calls' | 'MB', figure: number, most: number | null): Result {
  const aim =
    most === null ? null : { text: `≤ ${most.toLocaleString('en-US')}`, met: figure <= most };
  return {
    ...{ workload, unit, ours: spreadOf([figure]), ceiling: null, ratio: null },
    ...{ aim, checksum: null },
  };
}
