import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../../../engine/cli/stack/alive.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Stops the sample of the browser tests, where one was started, and removes all of it. */
export async function stopSample(folder: string): Promise<void> {
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => '0'));
  if (pid > 0 && isAlive(pid)) {
    process.kill(pid, 'SIGINT');
    await waitFor(() => hasEnded(pid), { what: 'the sample to stop', timeout: 25_000 });
  }
  await rm(folder, { recursive: true, force: true });
}

/** Gone, or ended and only not asked after: the test file that started it has ended before. */
async function hasEnded(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return true;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /^\d+ \(.*\) Z /.test(stat);
}
