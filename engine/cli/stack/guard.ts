import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A promise that some processes do not outlive this one, even where this one is killed hard. */
export type Guard = {
  /** Watches a process: should this one die, it gets `signal`, and SIGKILL 10 s later. */
  watch(pid: number, signal: NodeJS.Signals): void;
  /** Forgets a process that has ended, or that may go on by itself. */
  forget(pid: number): void;
};

let shared: Guard | undefined;

/** The guard of this process, started at its first use: one more process, and it ends with ours. */
export function processGuard(): Guard {
  shared ??= startGuard();
  return shared;
}

function startGuard(): Guard {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(guardScript())], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  child.unref();
  const { stdin } = child;
  // A broken pipe only means that the guard is gone: stopping in order does not need it.
  stdin?.on('error', () => {});
  if (stdin && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return {
    watch: (pid, signal) => void stdin?.write(`+ ${pid} ${signal}\n`),
    forget: (pid) => void stdin?.write(`- ${pid}\n`),
  };
}

function guardScript(): URL {
  return new URL('./guard.mjs', import.meta.url);
}
