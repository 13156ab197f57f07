import { setTimeout } from 'node:timers/promises';
import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { claimDeployment } from '../../engine/db/deployment.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { openQueue } from '../../engine/queue/settle-queue.ts';
import { ledgerChecksum } from '../data/ledger-checksum.ts';
import { SETUP_BLOCK } from '../data/sale-history.ts';
import {
  cloneDatabase,
  endOf,
  type Indexed,
  release,
  releaseNext,
  untilFolded,
} from '../data/settle-database.ts';
import { cpuMsOf } from '../harness/cpu.ts';
import { type Served, serveTributary } from '../reads/processes.ts';
import { defaults, startWorkerProcess, type Usage, type WorkerProcess } from '../settle/workers.ts';
import { type Read, readFrom } from './readers.ts';

/** How a history is settled and read by many processes. */
export interface ScaleRun {
  readonly workers: number;
  readonly apis: number;
  /** The queue is on PostgreSQL without it. */
  readonly redisUrl: string | undefined;
  /** Parts in which the blocks of sales arrive. */
  readonly steps: number;
  /** True to pause the leader and another worker after a third of the steps, and to wake them after two. */
  readonly pauses?: boolean;
}

/** Times while the leader and another worker were paused, in milliseconds from then on. */
export interface Paused {
  /** Until another worker led. */
  readonly leaderMs: number;
  /** Until everything that had arrived was settled without the two. */
  readonly settledMs: number;
}

/** A run, and what its processes took. */
export interface Scaled {
  /** Milliseconds from the first block until the campaigns are there, and from there until the last sale. */
  readonly setupMs: number;
  readonly ms: number;
  readonly checksum: string;
  readonly usage: readonly Usage[];
  /** Milliseconds of processor time of each API. */
  readonly apiCpuMs: readonly number[];
  readonly read: Read | undefined;
  /** Committed and rolled back transactions of the database, those of APIs and queue included. */
  readonly commits: number;
  readonly rollbacks: number;
  /** Sessions at most, of all processes. */
  readonly connections: number;
  readonly paused: Paused | undefined;
}

/** Milliseconds after the last fold until queue and settled block are at their end. */
const MAX_REST_MS = 300_000;

const deployment = {
  chainId: 31_337,
  genesisHash: `0x${'ab'.repeat(32)}`,
  contractAddress: `0x${'c0'.repeat(20)}`,
} as const;

/**
 * Settles a copy of a history by several workers while several APIs are read.
 * @throws if something is left: an unsettled fact, a job in the queue, a campaign that is recorded as behind.
 */
export async function runAtScale(
  server: string,
  indexed: Indexed,
  { workers, apis, redisUrl, steps, pauses = false }: ScaleRun,
): Promise<Scaled> {
  const name = `${indexed.name}_run`;
  const databaseUrl = await cloneDatabase(server, indexed.name, name);
  const pool = openPool(databaseUrl, { max: 3, applicationName: 'bench' });
  const prefix = `bench-${process.pid}-${performance.now()}`;
  const settings = { ...defaults, databaseUrl, redisUrl, prefix, head: endOf(indexed) };
  const served: Served[] = [];
  let processes: WorkerProcess[] = [];
  let sessions: ReturnType<typeof countSessions> | undefined;
  let reading: ReturnType<typeof readFrom> | undefined;
  try {
    await claimDeployment(pool, deployment);
    processes = await Promise.all(
      Array.from({ length: workers }, () => startWorkerProcess(settings)),
    );
    const started = performance.now();
    await release(pool, SETUP_BLOCK);
    await untilFolded(pool, await factsUpTo(pool, SETUP_BLOCK));
    await untilSettled(pool, SETUP_BLOCK);
    const setupMs = performance.now() - started;
    for (let i = 0; i < apis; i += 1) {
      served.push(await serveTributary(databaseUrl, deployment, true));
    }
    const before = await transactions(pool);
    const cpuBefore = await cpuOf(served);
    sessions = countSessions(pool);
    reading = apis > 0 ? readFrom(served.map(({ url }) => url)) : undefined;
    const salesStarted = performance.now();
    const blocks = new Blocks(pool, endOf(indexed), steps);
    const paused = pauses ? await pauseTwo(pool, processes, blocks) : undefined;
    await blocks.arrive(steps);
    await untilFolded(pool, indexed.events);
    await untilSettled(pool, endOf(indexed));
    const ms = performance.now() - salesStarted;
    const read = await reading?.stop();
    const connections = await sessions.stop();
    const after = await transactions(pool);
    const apiCpuMs = (await cpuOf(served)).map((cpu, i) => cpu - (cpuBefore[i] ?? 0));
    await untilAtRest(pool, settings);
    const usage = await Promise.all(processes.map((one) => one.stop()));
    return {
      ...{ setupMs, ms, usage, apiCpuMs, read, connections, paused },
      checksum: await ledgerChecksum(pool),
      commits: after.commits - before.commits,
      rollbacks: after.rollbacks - before.rollbacks,
    };
  } catch (error) {
    await Promise.allSettled([
      sessions?.stop(),
      reading?.stop(),
      ...processes.map((one) => one.stop()),
    ]);
    throw error;
  } finally {
    await Promise.all(served.map((one) => one.stop()));
    await pool.end();
    await dropDatabase(server, name);
  }
}

async function factsUpTo(pool: Pool, block: number): Promise<number> {
  const [row] = await pool<{ facts: number }[]>`
    select count(*)::int as facts from indexer_bench.chain_event where block_number <= ${block}`;
  return row?.facts ?? 0;
}

/** Milliseconds from one step to the next, however far settlement is: some steps find workers that are busy. */
const STEP_MS = 500;

/** The blocks of sales, which arrive in steps. */
class Blocks {
  #step = 0;
  #at = SETUP_BLOCK;

  constructor(
    private readonly pool: Pool,
    private readonly last: number,
    readonly steps: number,
  ) {}

  /** Lets blocks arrive until this step. @returns the newest block. */
  async arrive(until: number): Promise<number> {
    while (this.#step < until) {
      this.#step += 1;
      const sales = this.last - SETUP_BLOCK;
      const to = SETUP_BLOCK + Math.ceil((sales * this.#step) / this.steps);
      await releaseNext(this.pool, this.#at, to);
      this.#at = to;
      await setTimeout(STEP_MS);
    }
    return this.#at;
  }
}

/** Pauses the leader and another worker in the middle of their work until the others have settled all there is. */
async function pauseTwo(
  pool: Pool,
  processes: readonly WorkerProcess[],
  blocks: Blocks,
): Promise<Paused> {
  await blocks.arrive(Math.ceil(blocks.steps / 3));
  const leader = await leaderOf(pool);
  const other = processes.find(({ pid }) => pid !== leader)?.pid ?? 0;
  for (const pid of [leader, other]) process.kill(pid, 'SIGSTOP');
  try {
    const started = performance.now();
    const arriving = blocks.arrive(Math.ceil((2 * blocks.steps) / 3));
    arriving.catch(() => {});
    await until('another leader', async () => (await leaderOf(pool)) !== leader);
    const leaderMs = performance.now() - started;
    await untilSettled(pool, await arriving);
    return { leaderMs, settledMs: performance.now() - started };
  } finally {
    for (const pid of [leader, other]) process.kill(pid, 'SIGCONT');
  }
}

/** Process of the worker that leads: the last word of the name of its session. */
async function leaderOf(pool: Pool): Promise<number> {
  let pid = 0;
  await until('a leader', async () => {
    const [row] = await pool<{ pid: number }[]>`
      select split_part(application_name, ' ', 3)::int as pid
      from pg_stat_activity join ledger.leader using (pid)`;
    pid = row?.pid ?? 0;
    return row !== undefined;
  });
  return pid;
}

async function untilSettled(pool: Pool, block: number): Promise<void> {
  await until(
    `the settled block to be ${block}`,
    async () => (await readHeads(pool))?.settled?.number === block,
  );
}

/** Waits until no campaign is behind and the queue is empty, active and delayed jobs included. */
async function untilAtRest(pool: Pool, queues: Parameters<typeof openQueue>[0]): Promise<void> {
  const queue = await openQueue(queues);
  try {
    await until('queue and backlog to be empty', async () => {
      const { waiting, active, delayed } = await queue.counts();
      const behind = await pool`select 1 from ledger.behind limit 1`;
      return waiting + active + delayed + behind.length === 0;
    });
  } finally {
    await queue.close();
  }
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + MAX_REST_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline)
      throw new Error(`Waited ${MAX_REST_MS} ms in vain for ${what}.`);
    await setTimeout(50);
  }
}

async function transactions(pool: Pool): Promise<{ commits: number; rollbacks: number }> {
  const [row] = await pool<{ commits: number; rollbacks: number }[]>`
    select xact_commit::int as commits, xact_rollback::int as rollbacks from pg_stat_database
    where datname = current_database()`;
  return row ?? { commits: 0, rollbacks: 0 };
}

async function cpuOf(served: readonly Served[]): Promise<number[]> {
  return await Promise.all(served.map(async ({ pid }) => (await cpuMsOf([pid])) ?? 0));
}

/** Counts the sessions of the database again and again. `stop` returns the highest number. */
function countSessions(pool: Pool): { stop(): Promise<number> } {
  const stopping = new AbortController();
  let most = 0;
  const counting = (async () => {
    while (!stopping.signal.aborted) {
      const [row] = await pool<{ sessions: number }[]>`
        select count(*)::int as sessions from pg_stat_activity
        where datname = current_database() and application_name <> 'bench'`;
      most = Math.max(most, row?.sessions ?? 0);
      await setTimeout(250, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await counting;
      return most;
    },
  };
}
