import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';

/** A command that runs until it is stopped, and prints lines of JSON. */
export interface LongRunningCli {
  /** The lines that it has printed so far. */
  lines(): Record<string, unknown>[];
  stderr(): string;
  /** Ends it as Ctrl-C does. @returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `tributary` as a person would, with these variables. */
export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): LongRunningCli {
  const child = spawn(process.execPath, ['scripts/tributary.mjs', ...args], {
    cwd: projectRoot,
    env: { ...inheritedEnv(), DATA_DIR: '/nonexistent/tributary', ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = once(child, 'close').then(([code]) => code as number | null);
  return {
    lines: () =>
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    stderr: () => stderr,
    stop: () => {
      child.kill('SIGINT');
      return closed;
    },
  };
}
