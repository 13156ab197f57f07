import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { type Child, projectRoot, spawnChild } from '../../engine/cli/stack/processes.ts';
import type { TestChain } from '../../test/support/chain.ts';
import { fill, GENESIS_TIMESTAMP, LONGEST_MS, type Shape, withPool } from '../catch-up/runs.ts';
import { ceiling, ingest, rowsOf } from '../catch-up/suite.ts';
import { interleaved, rates, type Sample, spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { inDatabase, indexedToHead } from '../support/indexed.ts';
import { startSalesChain } from '../support/sales-chain.ts';

const SHAPES: readonly Shape[] = [
  { blocks: 2_000, salesPerBlock: 50 },
  { blocks: 3_000, salesPerBlock: 1 },
];
const QUICK: readonly Shape[] = [{ blocks: 100, salesPerBlock: 20 }];

/** Ponder counts the requests of a URL, and a repeated URL is another one: once, it takes five times as long. */
const COPIES_OF_URL = 24;

/** Other indexers over the same chain, into equal rows, in one run with ours. */
export const peersSuite: Suite = {
  name: 'peers',
  about: 'SQD, plain Ponder and Tributary over one chain, into equal rows',
  run: async (bench) => {
    await install();
    const results: Result[] = [];
    for (const shape of bench.quick ? QUICK : SHAPES) {
      results.push(...(await ofShape(bench, shape)));
    }
    return results;
  },
};

/** Installs the peers next to this file: nothing else needs them. */
async function install(): Promise<void> {
  await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: import.meta.dirname });
}

async function ofShape(bench: Bench, shape: Shape): Promise<readonly Result[]> {
  const sales = await startSalesChain({ genesisTimestamp: GENESIS_TIMESTAMP });
  try {
    bench.log(`making ${shape.blocks} blocks of ${shape.salesPerBlock} sales`);
    await fill(sales, shape);
    const { chain } = sales;
    const inOwn = (run: (chain: TestChain, url: string) => Promise<Sample>) => () =>
      inDatabase(bench, 'peers', (url) => run(chain, url));
    const samples = await interleaved(bench.rounds, {
      'getLogs + decode + COPY': inOwn(ceiling),
      Tributary: inOwn(ingest),
      SQD: inOwn(runSqd),
      'plain Ponder': inOwn(runPonder),
    });
    return resultsOf(shape, samples);
  } finally {
    await sales.stop();
  }
}

function resultsOf(
  { blocks, salesPerBlock }: Shape,
  samples: Readonly<Record<string, readonly Sample[]>>,
): readonly Result[] {
  const [[ceilingName, ceilingRuns], ...others] = Object.entries(samples) as [
    [string, readonly Sample[]],
    ...[string, readonly Sample[]][],
  ];
  const checksum = ceilingRuns[0]?.checksum ?? null;
  const events = blocks * salesPerBlock;
  const figure = rates(ceilingRuns, events);
  return others.map(([name, runs]) => {
    if (runs[0]?.checksum !== checksum) throw new Error(`${name} has other rows than the chain`);
    const ours = rates(runs, events);
    return {
      workload: `${name}: ${blocks} blocks of ${salesPerBlock}, ${secondsOf(runs)}`,
      unit: 'events/s',
      ours,
      ceiling: { name: ceilingName, figure },
      ratio: ratioOf('events/s', ours, figure),
      aim: null,
      checksum,
    };
  });
}

function secondsOf(runs: readonly Sample[]): string {
  const { least, median, most } = spreadOf(runs.map(({ ms }) => ms / 1_000));
  return `${[least, median, most].map((seconds) => seconds.toFixed(1)).join(' / ')} s`;
}

async function runSqd(chain: TestChain, url: string): Promise<Sample> {
  const head = await chain.client.getBlockNumber();
  const started = performance.now();
  const child = spawnChild({
    name: 'sqd',
    command: process.execPath,
    args: ['--import', 'tsx', join(import.meta.dirname, 'sqd.mjs')],
    env: { ...commonEnv(chain, url), RPC_URL: chain.anvil.url, END_BLOCK: String(head) },
    logFile: join(chain.dir, 'sqd.log'),
  });
  const { code } = await child.exited;
  const ms = performance.now() - started;
  if (code !== 0) throw new Error(`SQD ended with code ${code}: see ${chain.dir}/sqd.log`);
  return { ms, checksum: await withPool(url, (pool) => rowsOf(pool, 'public')) };
}

async function runPonder(chain: TestChain, url: string): Promise<Sample> {
  const started = performance.now();
  const child = spawnPonder(chain, url, await freePort());
  const ended = child.exited.then(() => {
    throw new Error(`Ponder ended: see ${chain.dir}/ponder.log`);
  });
  ended.catch(() => {});
  try {
    return await withPool(url, async (pool) => {
      await Promise.race([indexedToHead(chain, pool, 'plain', LONGEST_MS), ended]);
      const ms = performance.now() - started;
      return { ms, checksum: await rowsOf(pool, 'plain') };
    });
  } finally {
    await child.stop();
  }
}

/** Ponder over the same project as its documentation has it, without what `engine/cli/stack/ponder` and `src/history` add. */
function spawnPonder(chain: TestChain, url: string, port: number): Child {
  const bin = join(projectRoot, 'node_modules/ponder/dist/esm/bin/ponder.js');
  const rpcUrls = Array.from({ length: COPIES_OF_URL }, () => chain.anvil.url);
  return spawnChild({
    name: 'ponder',
    command: process.execPath,
    args: [bin, 'start', '--schema', 'plain', '--port', String(port)],
    cwd: projectRoot,
    env: {
      ...commonEnv(chain, url),
      CHAIN_ID: String(chain.chainId),
      RPC_URL: rpcUrls.join(','),
      POLLING_INTERVAL_MS: '100',
    },
    stopSignal: 'SIGINT',
    graceMs: 15_000,
    logFile: join(chain.dir, 'ponder.log'),
  });
}

function commonEnv(chain: TestChain, url: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    CONTRACT_ADDRESS: chain.contract,
    START_BLOCK: String(chain.startBlock),
  };
}
