// The versions of Node that Tributary runs on, and how one of them is installed from npm. Plain Node: it runs
// where nothing is installed yet, and on a Node that is too old.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The version that is installed where the machine's Node is too old. */
export const PINNED_NODE = '24.21.0';

/** The versions of `engines` in package.json, for a sentence to the user. */
export const SUPPORTED_NODE = 'Node 22.13, 24 or later';

/** True if Tributary runs on that version of Node: `engines` in package.json. */
export function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 13);
}

/**
 * Finds the program of a version of Node in the cache folder, or installs it there from npm: the package
 * `node-<platform>-<architecture>`, which exists for Linux and macOS.
 * @param onFetch called with the cache folder before the installation begins.
 * @returns the path of the program.
 * @throws {Error} with a sentence if npm does not install it.
 */
export function installedNode(version, onFetch = () => {}) {
  const name = `node-${process.platform}-${process.arch}`;
  const cache = join(projectRoot, 'node_modules', '.cache', 'node');
  const program = join('node_modules', name, 'bin', 'node');
  const folder = join(cache, version);
  if (existsSync(join(folder, program))) return join(folder, program);
  onFetch(relative(projectRoot, cache));
  // An installation that is interrupted leaves nothing that looks complete. Other accounts may run the result.
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const install = ['install', '--prefix', draft, '--no-save', '--loglevel=error'];
  const stdio = ['ignore', 'ignore', 'inherit'];
  const { status } = spawnSync('npm', [...install, `${name}@${version}`], { stdio });
  if (status !== 0 || !existsSync(join(draft, program))) {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(`npm did not install ${name}@${version}: is the registry reachable?`);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  return join(folder, program);
}

/** The environment in which `node`, and every program that begins with it, is that one. */
export function environmentOf(program) {
  return { ...process.env, PATH: [dirname(program), process.env.PATH].join(delimiter) };
}
