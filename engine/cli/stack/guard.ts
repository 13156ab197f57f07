import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A process that the guard ends after the death of this one. */
export type Watched = {
  readonly pid: number;
  readonly signal: NodeJS.Signals;
  /** Milliseconds after the signal until its process group is killed. */
  readonly graceMs: number;
};

/** Ends processes that outlive this one, even if this one is killed. */
export type Guard = {
  /** Watches a process: if this one dies, it gets its signal, and SIGKILL after its grace period. */
  watch(process: Watched): void;
  /** Stops watching a process that has ended, or that may continue alone. */
  unwatch(pid: number): void;
  /** Calls back now, and after each change, with the guard's own id and what it watches. */
  onChange(listener: (guardPid: number | undefined, watched: readonly Watched[]) => void): void;
};

let shared: Guard | undefined;

/** The guard of this process: a child process that is started at the first call, and again if it is killed. */
export function processGuard(): Guard {
  shared ??= startGuard();
  return shared;
}

function startGuard(): Guard {
  const watched = new Map<number, Watched>();
  let running = openGuard();
  let listener: Parameters<Guard['onChange']>[0] = () => {};
  const changed = () => listener(running.pid, [...watched.values()]);
  const restart = () => {
    running = openGuard();
    void running.ended.then(restart);
    for (const one of watched.values()) running.stdin.write(lineOf(one));
    changed();
  };
  void running.ended.then(restart);
  return {
    watch(one) {
      watched.set(one.pid, one);
      running.stdin.write(lineOf(one));
      changed();
    },
    unwatch(pid) {
      watched.delete(pid);
      running.stdin.write(`- ${pid}\n`);
      changed();
    },
    onChange(call) {
      listener = call;
      changed();
    },
  };
}

function lineOf({ pid, signal, graceMs }: Watched): string {
  return `+ ${pid} ${signal} ${graceMs}\n`;
}

/** A running guard. It does not keep this process running. */
function openGuard(): {
  readonly pid: number | undefined;
  readonly stdin: Pick<Writable, 'write'>;
  readonly ended: Promise<void>;
} {
  const child = spawn(process.execPath, [fileURLToPath(guardScript())], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  child.unref();
  const { stdin } = child;
  // A broken pipe means that the guard is gone, which an orderly stop does not need.
  stdin.on('error', () => {});
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // Without memory for a process there is no guard, and no other one can be started.
    child.once('error', () => {});
  });
  return { pid: child.pid, stdin, ended };
}

function guardScript(): URL {
  return new URL('./guard.mjs', import.meta.url);
}
