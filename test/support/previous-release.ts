import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../engine/cli/stack/processes.ts';

/**
 * The release before this one, by its last commit, and the version of the contract that it reads. Change it with each
 * release. A release that reads another version of the contract cannot be upgraded to this one.
 */
export const previousRelease = {
  version: '0.1.0',
  commit: 'cbe4b88372b6e18329d76621989e7703fd8970aa',
  contract: '2',
} as const;

const run = promisify(execFile);

/**
 * Installs the previous release from the history of the repository, with the packages that its own lock
 * file names, unless an earlier run did.
 * @returns its folder.
 * @throws if the commit is not here, as in a shallow clone.
 */
export async function installPreviousRelease(): Promise<string> {
  const { version, commit } = previousRelease;
  const modules = join(projectRoot, 'node_modules');
  const folder = join(modules, '.cache', 'releases', `${version}-${commit.slice(0, 8)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(join(unfinished, 'node_modules'), { recursive: true });
  const unpack = 'git -C "$1" archive "$2" | tar -x -C "$3"';
  await run('bash', ['-ceo', 'pipefail', unpack, 'bash', projectRoot, commit, unfinished]);
  // Most packages are the same, so they are linked, and npm replaces the others.
  const packages = (await readdir(modules)).filter(
    (name) => name === '.bin' || !name.startsWith('.'),
  );
  await run('cp', ['-al', ...packages, join(unfinished, 'node_modules')], { cwd: modules });
  await run(process.execPath, ['scripts/install.mjs'], { cwd: unfinished });
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  return folder;
}
