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
