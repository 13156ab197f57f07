import { readFileSync } from 'node:fs';

/** Whether a process of that number runs, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Resolves when a process that is not our child has ended. One that has ended and that its parent has
 * not asked for yet counts as ended.
 */
export function untilGone(pid: number, everyMs = 100): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isAlive(pid) && !isZombie(pid)) return;
      clearInterval(timer);
      resolve();
    }, everyMs);
    timer.unref();
  });
}

/** Only Linux has a file that says so. */
function isZombie(pid: number): boolean {
  try {
    // The name in brackets may hold anything; the state follows it.
    return /^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
