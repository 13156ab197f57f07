import { setTimeout } from 'node:timers/promises';
import { cpuMsOf } from '../harness/cpu.ts';
import { memoryMiBOf, type Process, processesUnder } from '../harness/processes.ts';

/** Parts of `npm start`, by what is in the command line of their first process. */
const PARTS = {
  indexer: /ponder\/run\.mjs/,
  worker: /tributary\.mjs worker/,
  API: /tributary\.mjs api/,
  anvil: /\/anvil /,
  PostgreSQL: /\/postgres -D|^postgres: /,
  start: /tributary\.mjs start/,
} as const;

export type Part = keyof typeof PARTS;

/** PostgreSQL's title of a process that serves a session: account, database, and the client's address. */
const SESSION = /^postgres: \S+ \S+ \S+\(\d+\) /;

/** Processor time, memory and sessions of a system while nothing happens. */
export interface Resting {
  /** Cores that are busy on average. */
  readonly cores: number;
  /** Sessions of PostgreSQL. */
  readonly sessions: number;
  /** Processes of PostgreSQL: sessions, the first process, and its own workers. */
  readonly postgresProcesses: number;
  /** MiB, with shared memory divided among those that share it (PSS). */
  readonly memory: Readonly<Record<Part, number>>;
}

/**
 * Leaves a system alone until its connections have been closed for idleness, and measures it then.
 * @param roots processes without a parent in the system.
 * @returns `null` where the operating system is not Linux.
 */
export async function restingOf(
  roots: readonly number[],
  waits: { readonly firstMs: number; readonly measuredMs: number },
): Promise<Resting | null> {
  await setTimeout(waits.firstMs);
  const before = await cpuMsOf(roots);
  const began = performance.now();
  await setTimeout(waits.measuredMs);
  const after = await cpuMsOf(roots);
  const elapsed = performance.now() - began;
  const processes = await processesUnder(roots);
  if (before === null || after === null || processes === null) return null;
  const ofPostgres = processes.filter((one) => partOf(one, processes) === 'PostgreSQL');
  return {
    cores: (after - before) / elapsed,
    sessions: ofPostgres.filter(({ title }) => SESSION.test(title)).length,
    postgresProcesses: ofPostgres.length,
    memory: await memoryByPart(processes),
  };
}

async function memoryByPart(processes: readonly Process[]): Promise<Record<Part, number>> {
  const memory = { indexer: 0, worker: 0, API: 0, anvil: 0, PostgreSQL: 0, start: 0 };
  const sizes = await Promise.all(processes.map(memoryMiBOf));
  for (const [index, one] of processes.entries()) {
    memory[partOf(one, processes)] += sizes[index] ?? 0;
  }
  return memory;
}

/** The part that a process, or the nearest of its ancestors, is the first process of. */
function partOf(one: Process, processes: readonly Process[]): Part {
  const names = Object.keys(PARTS) as Part[];
  const part = names.find((name) => PARTS[name].test(one.title));
  if (part !== undefined) return part;
  const parent = processes.find(({ pid }) => pid === one.parent);
  return parent === undefined ? 'start' : partOf(parent, processes);
}
