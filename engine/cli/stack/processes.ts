import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnv } from '../../env.ts';
import { processGuard } from './guard.ts';
import { type LogFile, openLogFile } from './log-file.ts';

/** End of a process: its exit code, or the signal that ended it. */
export type Exit = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last sentence on its standard error, if there is any. */
  readonly reason?: string;
};

/** Child process in its own process group. */
export type Child = {
  readonly pid: number;
  /** Resolves when the process has ended and its log is written; never rejects. */
  readonly exited: Promise<Exit>;
  /** Signals the process to end, kills its group after `graceMs`, and waits. */
  stop(): Promise<Exit>;
  /** Kills the whole group immediately, like a crash. */
  kill(): Promise<Exit>;
};

/** Options of `spawnChild`. */
export type ChildOptions = {
  /** Name of the child in messages. */
  name: string;
  command: string;
  args: readonly string[];
  /** Environment of the child, in addition to the variables of `inheritedEnv`. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** File that its output is appended to, line by line; without it, only `onLine` receives it. */
  logFile?: string;
  /** Strings that must not reach the log. */
  secrets?: readonly string[];
  onLine?: (line: string) => void;
  /** Receives messages of the child over IPC; without it there is no IPC channel. */
  onMessage?: (message: unknown) => void;
  /** First message to the child over IPC; it needs `onMessage`. */
  greeting?: Readonly<Record<string, string>>;
  /** Signal that stops it. */
  stopSignal?: NodeJS.Signals;
  /** Milliseconds that it may take to end. */
  graceMs?: number;
};

/**
 * Starts a child in its own process group, so that Ctrl-C in a terminal reaches only this process,
 * which then stops all children in order. If this process dies, the guard ends the child.
 *
 * @throws {Error} if the command cannot be started, or its log cannot be written.
 */
export function spawnChild(options: ChildOptions): Child {
  const { stopSignal = 'SIGINT', graceMs = 10_000 } = options;
  const log = openLogFile(options.logFile, options.secrets);
  const child = spawn(options.command, [...options.args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.onMessage ? (['ipc'] as const) : [])],
    cwd: options.cwd,
    env: { ...FRUGAL.env, ...inheritedEnv(), ...options.env },
  });
  const { pid } = child;
  // Without a pid the error arrives in the next tick, and needs a listener.
  child.on('error', () => {});
  if (options.onMessage !== undefined) child.on('message', options.onMessage);
  // A child that has ended cannot receive it, which its exit reports.
  if (options.greeting !== undefined) child.send(options.greeting, () => {});
  if (pid === undefined) {
    log.close();
    throw new Error(`${options.name}: cannot start ${options.command}.`);
  }
  processGuard().watch({ pid, signal: stopSignal, graceMs });
  const exited = followUntilExit(child, pid, log, options.onLine);
  return {
    pid,
    exited,
    async stop() {
      signalProcess(pid, child, stopSignal);
      const timer = setTimeout(() => killGroup(pid, child), graceMs);
      return exited.finally(() => clearTimeout(timer));
    },
    kill() {
      killGroup(pid, child);
      return exited;
    },
  };
}

/** Command line that runs a TypeScript file: node with tsx as its loader. */
export function tsxCommand(entry: string, args: readonly string[] = []) {
  const loader = import.meta.resolve('tsx');
  return { command: process.execPath, args: ['--import', loader, entry, ...args] };
}

/**
 * Settings of Node and of the C library with which a part holds less memory, at the same processor time
 * (bench/decisions.md#a-deployment-at-rest). The files in `deploy/` have the same ones.
 */
export const FRUGAL = {
  /** MiB of new objects before they are searched for garbage, half of the space that V8 has for them. */
  node: ['--max-semi-space-size=8'],
  /** Heaps of glibc: without it, each thread has its own, and keeps what it has freed. */
  env: { MALLOC_ARENA_MAX: '2' },
} as const;

/** Command line that runs `tributary`, compiled. */
export function cliCommand(args: readonly string[]) {
  return {
    command: process.execPath,
    args: [...FRUGAL.node, join(projectRoot, 'scripts', 'tributary.mjs'), ...args],
  };
}

/** The root folder of the project. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

function followUntilExit(
  child: ChildProcess,
  pid: number,
  log: LogFile,
  onLine: ChildOptions['onLine'],
): Promise<Exit> {
  let reason: string | undefined;
  if (child.stdout) log.follow(child.stdout, onLine);
  if (child.stderr) {
    log.follow(child.stderr, (line) => {
      reason = reasonIn(line) ?? reason;
      onLine?.(line);
    });
  }
  return new Promise((resolve) => {
    // Remaining processes of the group would live on and hold the pipes open.
    child.on('exit', () => sendToGroup(pid, 'SIGKILL'));
    child.on('close', (code, signal) => {
      processGuard().unwatch(pid);
      log.close();
      resolve({ code, signal, ...(reason === undefined ? {} : { reason }) });
    });
  });
}

/** The reason of an end in a line of standard error: not a line of JSON, nor what Node prints around an error. */
function reasonIn(line: string): string | undefined {
  const isOther =
    /^\s*$|^For more information|^\s+at |^\s*\^+$|^(node:|file:|Node\.js v)|^[{(]/.test(line);
  return isOther ? undefined : line.replace(/^(Uncaught )?\w*Error: /, '').trim();
}

function signalProcess(pid: number, child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
}

function killGroup(pid: number, child: ChildProcess) {
  if (child.exitCode === null && child.signalCode === null) sendToGroup(pid, 'SIGKILL');
}

/** Signals all processes of a group, also if its first one has ended. */
export function sendToGroup(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty.
  }
}

/** Text for an exit: `with code 75`, `by SIGKILL`. */
export function describeExit(exit: Exit): string {
  if (exit.signal) return `by ${exit.signal}`;
  return exit.code === null ? 'unexpectedly' : `with code ${exit.code}`;
}
