// Brings node_modules up to date before `npm start`, `npm test` and `npm run check`. Plain Node: it
// runs where nothing is installed yet. Says nothing when there is nothing to do.
//
// Where the machine's Node is too old, it installs the pinned one and links it as `node_modules/.bin/node`. npm puts
// that folder first in the PATH of every script, so the script that follows, all that it starts, and `npx` use it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  environmentOf,
  installedNode,
  isSupported,
  PINNED_NODE,
  projectRoot as root,
  SUPPORTED_NODE,
} from './node-version.mjs';

const modules = join(root, 'node_modules');
const stampFile = join(modules, '.tributary-installed');
const nodeLink = join(modules, '.bin', 'node');

const { node } = process.versions;
const machineNode = existsSync(nodeLink) ? nodeWithoutLink() : node;
if (isSupported(machineNode)) {
  rmSync(nodeLink, { force: true });
} else if (node !== PINNED_NODE) {
  continueWithPinnedNode();
  process.exit();
}

const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
const stamp = createHash('sha256').update(lock).digest('hex');
if (read(stampFile) !== stamp) {
  if (!matchesLock()) install();
  writeFileSync(stampFile, stamp);
}

/** Installs the pinned Node, lets it do the rest, and links it for the scripts of npm that follow. */
function continueWithPinnedNode() {
  const needed = `Tributary needs ${SUPPORTED_NODE}, and this is ${machineNode}`;
  // npm has no package of Node's name for Windows, and links need a privilege there.
  if (process.platform === 'win32') fail(`${needed}.`);
  const program = installed(needed);
  const self = fileURLToPath(import.meta.url);
  const { status } = spawnSync(program, [self], { stdio: 'inherit', env: environmentOf(program) });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(dirname(nodeLink), { recursive: true });
  rmSync(nodeLink, { force: true });
  symlinkSync(relative(dirname(nodeLink), program), nodeLink);
}

function installed(needed) {
  try {
    return installedNode(PINNED_NODE, (folder) =>
      console.log(`${needed}: fetching Node ${PINNED_NODE} from npm into ${folder} …`),
    );
  } catch (error) {
    fail(error.message);
  }
}

/** Version of the Node that scripts would use without the link. */
function nodeWithoutLink() {
  const folders = process.env.PATH.split(delimiter).filter(
    (folder) => folder !== dirname(nodeLink),
  );
  const env = { ...process.env, PATH: folders.join(delimiter) };
  return spawnSync('node', ['--version'], { env, encoding: 'utf8' }).stdout?.slice(1) ?? node;
}

/** Whether somebody else has installed just what the lock file names; other platforms' aside. */
function matchesLock() {
  const installed = read(join(modules, '.package-lock.json'));
  if (installed === undefined) return false;
  const found = JSON.parse(installed).packages ?? {};
  return Object.entries(JSON.parse(lock).packages).every(([path, { version, optional }]) => {
    if (path === '') return true;
    if (!found[path] || !existsSync(join(root, path))) return optional === true;
    return found[path].version === version;
  });
}

/**
 * Installs what the lock file names. Not by `npm ci`: it refuses the lock file of a registry that
 * does not carry every platform's optional binaries, and ours was made with such a one.
 */
function install() {
  console.log('Installing what is missing (npm install) …');
  const windows = process.platform === 'win32';
  const { status } = spawnSync(
    windows ? 'npm.cmd' : 'npm',
    ['install', '--no-save', '--include=dev', '--include=optional', '--loglevel=error'],
    { cwd: root, stdio: 'inherit', shell: windows },
  );
  if (status !== 0) fail('npm install failed: is the registry reachable?');
  if (!matchesLock())
    fail('npm did not install what package-lock.json names: remove node_modules.');
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
