import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startTestChain, type TestChain } from '../../test/support/chain.ts';
import { cpuMsOf } from '../harness/cpu.ts';
import { spreadOf } from '../harness/measure.ts';
import type { Bench, Result, Suite } from '../harness/suite.ts';
import { whileStarted } from '../support/started.ts';

/** Not anvil's, which the indexer polls ten times a second. */
const CHAIN_ID = 13_370;

const BLOCK_SECONDS = 2;
const MAX_START_MS = 120_000;
const MAX_READY_MS = 8_000;
const MAX_IDLE_CORES = 0.03;

/** Starts everything as a user does, on a chain whose contract has no events yet, and leaves it alone. */
export const startSuite: Suite = {
  name: 'start',
  about:
    'time from `npm start` to /ready on an empty chain, and processor time while nothing happens',
  run: async (bench) => {
    const chain = await startTestChain({ chainId: CHAIN_ID, blockTimeSeconds: BLOCK_SECONDS });
    try {
      const runs: { readyMs: number; idleCores: number | null }[] = [];
      for (let round = 0; round < bench.rounds; round += 1) runs.push(await start(bench, chain));
      const idle = runs.flatMap(({ idleCores }) => (idleCores === null ? [] : [idleCores]));
      const ready = spreadOf(runs.map(({ readyMs }) => readyMs));
      return [
        line('start to /ready', 'ms', ready, MAX_READY_MS),
        ...(idle.length > 0
          ? [line('idle, all processes', 'cores', spreadOf(idle), MAX_IDLE_CORES)]
          : []),
      ];
    } finally {
      await chain.stop();
    }
  },
};

async function start(bench: Bench, chain: TestChain) {
  const env = {
    CHAIN_ID: String(CHAIN_ID),
    RPC_URL: chain.anvil.url,
    CONTRACT_ADDRESS: chain.contract,
    START_BLOCK: String(chain.startBlock),
  };
  return await whileStarted('start', env, MAX_START_MS, async ({ readyMs, pid, dataDir }) => ({
    readyMs,
    idleCores: await idleCoresOf(bench, [pid, await postmasterOf(dataDir)]),
  }));
}

/** Cores that are busy on average; a while after the start, which goes on after `/ready`. */
async function idleCoresOf(bench: Bench, roots: readonly number[]): Promise<number | null> {
  await setTimeout(15_000);
  const before = await cpuMsOf(roots);
  const began = performance.now();
  await setTimeout(bench.quick ? 20_000 : 60_000);
  const after = await cpuMsOf(roots);
  if (before === null || after === null) return null;
  return (after - before) / (performance.now() - began);
}

async function postmasterOf(dataDir: string): Promise<number> {
  const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
}

function line(workload: string, unit: Result['unit'], ours: Result['ours'], most: number): Result {
  return {
    workload,
    unit,
    ours,
    ceiling: null,
    ratio: null,
    aim: { text: `≤ ${most.toLocaleString('en-US')}`, met: ours.median <= most },
    checksum: null,
  };
}
