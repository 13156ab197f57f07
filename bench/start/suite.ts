import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestChain } from '../../test/support/chain.ts';
import { spreadOf } from '../harness/measure.ts';
import type { Bench, Result, Suite } from '../harness/suite.ts';
import { whileStarted } from '../support/started.ts';
import { type Part, type Resting, restingOf } from './resting.ts';

/** Not anvil's, which the indexer polls ten times a second. */
const CHAIN_ID = 13_370;

const BLOCK_SECONDS = 2;
const MAX_START_MS = 120_000;
/** With the sample's transactions. */
const MAX_SAMPLE_START_MS = 600_000;
const MAX_READY_MS = 8_000;
const MAX_IDLE_CORES = 0.03;
const MAX_POSTGRES_PROCESSES = 15;
const MAX_MEMORY_MIB = 700;

/** Starts everything as a user does, on a chain whose contract has no events yet, and leaves it alone. */
export const startSuite: Suite = {
  name: 'start',
  about:
    'time from `npm start` to /ready on an empty chain; processor time, memory and sessions while nothing happens',
  run: async (bench) => {
    const empty = await onEmptyChain(bench);
    const sample: Started[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      sample.push(await start(bench, {}, MAX_SAMPLE_START_MS));
    }
    const ready = spreadOf(empty.map(({ readyMs }) => readyMs));
    return [
      line('start to /ready', 'ms', ready, MAX_READY_MS),
      ...restingLines('a block every 2 s', empty),
      ...restingLines('the sample', sample),
    ];
  },
};

interface Started {
  readonly readyMs: number;
  readonly resting: Resting | null;
}

async function onEmptyChain(bench: Bench): Promise<Started[]> {
  const chain = await startTestChain({ chainId: CHAIN_ID, blockTimeSeconds: BLOCK_SECONDS });
  const env = {
    CHAIN_ID: String(CHAIN_ID),
    RPC_URL: chain.anvil.url,
    CONTRACT_ADDRESS: chain.contract,
    START_BLOCK: String(chain.startBlock),
  };
  try {
    const runs: Started[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      runs.push(await start(bench, env, MAX_START_MS));
    }
    return runs;
  } finally {
    await chain.stop();
  }
}

async function start(
  bench: Bench,
  env: Readonly<Record<string, string>>,
  timeout: number,
): Promise<Started> {
  // Unused connections are closed after half a minute.
  const waits = { firstMs: 75_000, measuredMs: bench.quick ? 20_000 : 60_000 };
  return await whileStarted('start', env, timeout, async ({ readyMs, pid, dataDir }) => ({
    readyMs,
    resting: await restingOf([pid, await postmasterOf(dataDir)], waits),
  }));
}

async function postmasterOf(dataDir: string): Promise<number> {
  const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
}

/** Lines of what was used at rest; none where the operating system does not say. */
function restingLines(what: string, runs: readonly Started[]): Result[] {
  const all = runs.flatMap(({ resting }) => (resting === null ? [] : [resting]));
  const [first] = all;
  if (first === undefined) return [];
  const spread = (read: (one: Resting) => number) => spreadOf(all.map(read));
  const parts = Object.keys(first.memory) as Part[];
  const total = ({ memory }: Resting) => parts.reduce((sum, part) => sum + memory[part], 0);
  return [
    line(
      `idle, ${what}: all processes`,
      'cores',
      spread(({ cores }) => cores),
      MAX_IDLE_CORES,
    ),
    line(
      `sessions of PostgreSQL`,
      'sessions',
      spread(({ sessions }) => sessions),
    ),
    line(
      `idle, ${what}: processes of PostgreSQL`,
      'processes',
      spread(({ postgresProcesses }) => postgresProcesses),
      MAX_POSTGRES_PROCESSES,
    ),
    line(`idle, ${what}: memory`, 'MiB', spread(total), MAX_MEMORY_MIB),
    ...parts.map((part) =>
      line(
        `memory, ${part}`,
        'MiB',
        spread(({ memory }) => memory[part]),
      ),
    ),
  ];
}

function line(workload: string, unit: Result['unit'], ours: Result['ours'], most?: number): Result {
  return {
    workload,
    unit,
    ours,
    ceiling: null,
    ratio: null,
    aim:
      most === undefined
        ? null
        : { text: `≤ ${most.toLocaleString('en-US')}`, met: ours.median <= most },
    checksum: null,
  };
}
