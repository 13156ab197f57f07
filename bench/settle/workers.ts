import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BuildOptions } from 'esbuild';
import { FRUGAL, projectRoot } from '../../engine/cli/stack/processes.ts';
import { MAX_BATCH_FACTS, MAX_CONCURRENT_BATCHES } from '../../engine/settlement/defaults.ts';

/** Settings of a worker process of a benchmark. */
export interface WorkerSettings {
  readonly databaseUrl: string;
  /** The queue is on PostgreSQL without it. */
  readonly redisUrl: string | undefined;
  /** Prefix of the queue's keys: workers of one run share it. */
  readonly prefix: string;
  readonly concurrency: number;
  readonly batchSize: number;
  /** The newest block of the chain. */
  readonly head: number;
}

/** Resources that a worker process used. */
export interface Usage {
  /** The most memory that it ever held. */
  readonly peakMiB: number;
  /** From when it was ready on. */
  readonly cpuMs: number;
  /** Jobs of the queue. */
  readonly jobs: number;
  /** Transactions of settlement, and those of several campaigns that failed and were retried one by one. */
  readonly batches: number;
  readonly retried: number;
  /** Jobs whose lock expired while they ran. */
  readonly lostLocks: number;
}

export interface WorkerProcess {
  /** Also the last word of the name of its sessions. */
  readonly pid: number;
  stop(): Promise<Usage>;
}

/** `compile.mjs` runs where nothing is installed, so it has no types. */
const { cacheOf, commandOptions, compiled }: Compile = await import(
  new URL('../../engine/cli/compile.mjs', import.meta.url).href
);

type Compile = {
  readonly cacheOf: (root: string) => string;
  readonly commandOptions: (placeOf: (source: string) => string) => BuildOptions;
  readonly compiled: (root: string, folder: string, job: object) => Promise<string>;
};

const PROGRAM = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

/** Compiles the worker's program as the command is: run from its sources, it would hold their compiler, too. */
async function compiledProgram(): Promise<string> {
  const placeOf = (source: string) => JSON.stringify(pathToFileURL(source).href);
  const esbuild = {
    ...commandOptions(placeOf),
    entryPoints: [PROGRAM],
  };
  const job = { name: 'bench-worker', files: [], esbuild };
  return join(await compiled(projectRoot, cacheOf(projectRoot), job), 'worker-process.js');
}

/** As `tributary worker` runs, where nothing else is said. */
export const defaults = { concurrency: MAX_CONCURRENT_BATCHES, batchSize: MAX_BATCH_FACTS };

/** Starts a settlement worker in a process of its own; it waits for work. */
export async function startWorkerProcess(settings: WorkerSettings): Promise<WorkerProcess> {
  const child = fork(await compiledProgram(), [JSON.stringify(settings)], {
    execArgv: [...FRUGAL.node],
    env: { ...process.env, ...FRUGAL.env },
  });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`a worker ended with ${code}`);
  });
  failed.catch(() => {});
  await Promise.race([once(child, 'message'), failed]);
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      const exit = once(child, 'exit');
      const reported = once(child, 'message');
      child.send('stop');
      const [usage]: Usage[] = await Promise.race([reported, failed]);
      await exit;
      if (usage === undefined) throw new Error('a worker ended without a word');
      return usage;
    },
  };
}
