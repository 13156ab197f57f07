import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True if a process with this id is running, under any account. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Name of the program that a process runs; `undefined` if it is not known, as on systems other than Linux. */
export function processName(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * When a process began, as text that only one process with this id has.
 * @returns `undefined` if there is no such process, or the system does not say.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain anything; `starttime` is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return process.platform === 'linux' ? undefined : startByPs(pid);
  }
}

function startByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Resolves when a process that is not a child of this one has ended. A zombie counts as ended. */
export function waitForExit(pid: number, everyMs = 100): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isAlive(pid) && !isZombie(pid)) return;
      clearInterval(timer);
      resolve();
    }, everyMs);
    timer.unref();
  });
}

/** True if a process is a zombie, which only Linux shows in a file. */
export function isZombie(pid: number): boolean {
  try {
    // The name in brackets may contain anything; the state follows it.
    return /^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
