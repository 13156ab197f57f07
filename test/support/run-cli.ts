import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** Runs `tributary` as a person would, with these variables. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { root, uid }: Installation = thisInstallation,
): Promise<CliResult> {
  const child = spawn(process.execPath, ['scripts/tributary.mjs', ...args], {
    cwd: root,
    env: { ...inheritedEnv(), DATA_DIR: '/nonexistent/tributary', ...env },
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
