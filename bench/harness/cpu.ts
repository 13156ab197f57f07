import { readdir, readFile } from 'node:fs/promises';

/**
 * Milliseconds of processor time that processes and their descendants have used so far, all threads
 * included; those that have ended are not.
 * @returns `null` without `/proc`, which only Linux has.
 */
export async function cpuMsOf(roots: readonly number[]): Promise<number | null> {
  const parents = await parentsOfProcesses();
  if (parents === null) return null;
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return roots.includes(pid) || (parent !== undefined && isOurs(parent));
  };
  const ours = [...parents.keys()].filter(isOurs);
  const nanoseconds = await Promise.all(ours.map(nanosecondsOf));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** The parent of each process. */
async function parentsOfProcesses(): Promise<ReadonlyMap<number, number> | null> {
  const names = await readdir('/proc').catch(() => null);
  if (names === null) return null;
  const pids = names.filter((name) => /^\d+$/.test(name));
  const pairs = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The name in brackets may contain anything; the state and the parent follow it.
      const parent = /^.*\) \S (\d+) /s.exec(stat)?.[1];
      return [Number(pid), Number(parent ?? 0)] as const;
    }),
  );
  return new Map(pairs);
}

async function nanosecondsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]);
    }),
  );
  return times.reduce((sum, one) => sum + one, 0);
}
