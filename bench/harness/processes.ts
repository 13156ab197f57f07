import { readdir, readFile } from 'node:fs/promises';

/** A process of Linux. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its command line; PostgreSQL's processes put what they do there. */
  readonly title: string;
}

/**
 * Processes and all their descendants.
 * @returns `null` without `/proc`, which only Linux has.
 */
export async function processesUnder(roots: readonly number[]): Promise<readonly Process[] | null> {
  const names = await readdir('/proc').catch(() => null);
  if (names === null) return null;
  const all = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readProcess));
  const byPid = new Map(all.map((one) => [one.pid, one]));
  const isUnder = (one: Process | undefined): boolean =>
    one !== undefined && (roots.includes(one.pid) || isUnder(byPid.get(one.parent)));
  return all.filter(isUnder);
}

async function readProcess(name: string): Promise<Process> {
  const [stat, title] = await Promise.all(
    ['stat', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
  );
  // The name in brackets may contain anything; the state and the parent follow it.
  const parent = /^.*\) \S (\d+) /s.exec(stat ?? '')?.[1];
  return {
    pid: Number(name),
    parent: Number(parent ?? 0),
    title: (title ?? '').replaceAll('\0', ' ').trim(),
  };
}

/**
 * MiB of memory of a process; what several share is divided among them (PSS). 0 if it has ended.
 * @throws {Error} if another account runs it.
 */
export async function memoryMiBOf({ pid }: Process): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') throw error;
    return '';
  });
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1_024;
}
