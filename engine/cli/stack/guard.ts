import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Ends processes that outlive this one, even if this one is killed. */
export type Guard = {
  /** Watches a process: if this one dies, it gets `signal`, and SIGKILL 10 s later. */
  watch(pid: number, signal: NodeJS.Signals): void;
  /** Stops watching a process that has ended, or that may continue alone. */
  unwatch(pid: number): void;
};

let shared: Guard | undefined;

/** The guard of this process: a child process that is started at the first call. */
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
  // A broken pipe means that the guard is gone, which an orderly stop does not need.
  stdin?.on('error', () => {});
  if (stdin && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return {
    watch: (pid, signal) => void stdin?.write(`+ ${pid} ${signal}\n`),
    unwatch: (pid) => void stdin?.write(`- ${pid}\n`),
  };
}

function guardScript(): URL {
  return new URL('./guard.mjs', import.meta.url);
}
