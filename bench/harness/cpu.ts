import { readdir, readFile } from 'node:fs/promises';
import { processesUnder } from './processes.ts';

/**
 * Milliseconds of processor time that processes and their descendants have used so far, all threads
 * included; those that have ended are not.
 * @returns `null` without `/proc`, which only Linux has.
 */
export async function cpuMsOf(roots: readonly number[]): Promise<number | null> {
  const ours = await processesUnder(roots);
  if (ours === null) return null;
  const nanoseconds = await Promise.all(ours.map(({ pid }) => nanosecondsOf(pid)));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
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

/** Milliseconds of a tick in which Linux counts the time of ended processes: it has 100 in a second everywhere. */
const TICK_MS = 10;

/**
 * Milliseconds of processor time that ended children of a process had used, which `cpuMsOf` leaves out: as the difference
 * of two of its results, the time of a session that has ended between them would be subtracted.
 * @returns `null` without `/proc`.
 */
export async function endedCpuMsOf(parent: number): Promise<number | null> {
  const text = await readFile(`/proc/${parent}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // After the name in parentheses: fields 16 and 17 of all (proc_pid_stat(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return TICK_MS * (Number(fields[13]) + Number(fields[14]));
}
