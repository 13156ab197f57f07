import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnv } from '../../env.ts';
import { processGuard } from './guard.ts';
import { type LogFile, openLogFile } from './log-file.ts';

/** How a process ended: its code, or the signal that ended it. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A child process of the stack. It leads a process group of its own. */
export type Child = {
  readonly pid: number;
  /** Resolves when the process has ended and its log is written; never rejects. */
  readonly exited: Promise<Exit>;
  /** Asks the process to end, kills its group when it has not after `graceMs`, and waits. */
  stop(): Promise<Exit>;
  /** Kills the whole group at once, as a crash would. */
  kill(): Promise<Exit>;
};

/** What `spawnChild` needs to know. */
export type ChildOptions = {
  /** What the child is called in messages. */
  name: string;
  command: string;
  args: readonly string[];
  /** Its whole environment; nothing is inherited but what `inheritedEnv` names. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** The file that its output is appended to, line by line. */
  logFile: string;
  /** Strings that must not reach the log. */
  secrets?: readonly string[];
  onLine?: (line: string) => void;
  /** Receives what the child sends over a channel of its own (IPC); without it there is none. */
  onMessage?: (message: unknown) => void;
  /** The signal that asks it to end. */
  stopSignal?: NodeJS.Signals;
  /** How long it may take to end, in milliseconds. */
  graceMs?: number;
};

/**
 * Starts a child in its own process group, so that Ctrl-C in a terminal reaches only us and we
 * can stop the stack in order. Should we die, the guard ends it.
 *
 * @throws Error where the command cannot be started, or its log not be written.
 */
export function spawnChild(options: ChildOptions): Child {
  const { stopSignal = 'SIGINT', graceMs = 10_000 } = options;
  const log = openLogFile(options.logFile, options.secrets);
  const child = spawn(options.command, [...options.args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.onMessage ? (['ipc'] as const) : [])],
    cwd: options.cwd,
    env: { ...inheritedEnv(), ...options.env },
  });
  const { pid } = child;
  // Without a pid the error arrives in the next tick; nobody else would listen to it.
  child.on('error', () => {});
  if (options.onMessage !== undefined) child.on('message', options.onMessage);
  if (pid === undefined) {
    void log.close();
    throw new Error(`${options.name}: cannot start ${options.command}.`);
  }
  processGuard().watch(pid, stopSignal);
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

/** The command line that runs one of our TypeScript files: node with tsx as its loader. */
export function tsxCommand(entry: string, args: readonly string[] = []) {
  const loader = import.meta.resolve('tsx');
  return { command: process.execPath, args: ['--import', loader, entry, ...args] };
}

/** The command line that runs `tributary`, compiled. */
export function cliCommand(args: readonly string[]) {
  return {
    command: process.execPath,
    args: [join(projectRoot, 'scripts', 'tributary.mjs'), ...args],
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
  if (child.stdout) log.follow(child.stdout, onLine);
  if (child.stderr) log.follow(child.stderr, onLine);
  return new Promise((resolve) => {
    // What the leader started and left behind would hold the pipes open, and live on.
    child.on('exit', () => sendToGroup(pid, 'SIGKILL'));
    child.on('close', async (code, signal) => {
      processGuard().forget(pid);
      await log.close();
      resolve({ code, signal });
    });
  });
}

function signalProcess(pid: number, child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal);
}

function killGroup(pid: number, child: ChildProcess) {
  if (child.exitCode === null && child.signalCode === null) sendToGroup(pid, 'SIGKILL');
}

function sendToGroup(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}
