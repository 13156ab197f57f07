// Brings node_modules up to date before `npm start`, `npm test` and `npm run check`. Plain Node: it
// runs where nothing is installed yet. Says nothing when there is nothing to do.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.tributary-installed');

checkNode();
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
const stamp = createHash('sha256').update(lock).digest('hex');
if (read(stampFile) !== stamp) {
  if (!matchesLock()) install();
  writeFileSync(stampFile, stamp);
}

/** Ends with a sentence unless this is a supported version: `engines` in package.json. */
function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const oldestMinor = { 20: 19, 22: 13 }[major];
  if (oldestMinor === undefined ? major >= 24 : minor >= oldestMinor) return;
  fail(`Tributary needs Node 20.19, 22.13, 24 or later, and this is ${process.versions.node}.`);
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
