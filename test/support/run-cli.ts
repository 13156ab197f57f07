import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { runCommand } from '../../engine/cli/program.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';

/** What a command printed, and how it ended. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An installation of the project, and the account that runs its commands. */
export interface Installation {
  readonly root: string;
  /** Default: the account of the tests. */
  readonly uid?: number;
}

/** The folder of the tests as an installation. */
export const thisInstallation: Installation = { root: projectRoot };

/** The variables of a command, in addition to those of the tests. */
function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...inheritedEnv(), DATA_DIR: '/nonexistent/tributary', ...env };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs `tributary` in this process, without the half second that a process takes to start: for what a command does and
 * prints. One command after the other, because each reads `process.env` and sets `process.exitCode`.
 */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const result = previous.then(() => runNow(args, env));
  previous = result.catch(() => {});
  return await result;
}

async function runNow(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CliResult> {
  const { env: variables, exitCode } = process;
  const listeners = SIGNALS.map((signal) => process.listeners(signal));
  const written = { stdout: '', stderr: '' };
  const to = (name: keyof typeof written, end: string) => (text: unknown) => {
    written[name] += `${text}${end}`;
    return true;
  };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(to('stdout', '\n')),
    vi.spyOn(console, 'error').mockImplementation(to('stderr', '\n')),
    vi.spyOn(process.stdout, 'write').mockImplementation(to('stdout', '')),
    vi.spyOn(process.stderr, 'write').mockImplementation(to('stderr', '')),
  ];
  // A process has the real time, whatever the test pretends.
  const pretended = vi.isFakeTimers() ? Date.now() : undefined;
  vi.useRealTimers();
  process.env = environment(env);
  process.exitCode = undefined;
  try {
    await runCommand(args);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    if (pretended !== undefined) vi.useFakeTimers({ toFake: ['Date'], now: pretended });
    process.env = variables;
    process.exitCode = exitCode;
    for (const spy of spies) spy.mockRestore();
    for (const [i, signal] of SIGNALS.entries()) {
      const added = process.listeners(signal).filter((one) => !listeners[i]?.includes(one));
      for (const one of added) process.removeListener(signal, one);
    }
  }
}

/** Runs `tributary` as a person would, with these variables, in a process of its own. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { root, uid }: Installation = thisInstallation,
): Promise<CliResult> {
  const child = spawn(process.execPath, ['scripts/tributary.mjs', ...args], {
    cwd: root,
    env: environment(env),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
