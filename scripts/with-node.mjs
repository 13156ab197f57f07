// Runs a command with another version of Node, for example
// `node scripts/with-node.mjs 24.21.0 npm test`. Installs that version from npm if it is missing:
// the package `node-<platform>-<architecture>`, which exists for Linux.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [version, command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('Usage: node scripts/with-node.mjs <version> <command> [<argument> …]');
  process.exit(2);
}

const name = `node-${process.platform}-${process.arch}`;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'node_modules', '.cache', 'node', version);
const bin = join(folder, 'node_modules', name, 'bin');
if (!existsSync(bin)) {
  mkdirSync(folder, { recursive: true });
  const install = ['install', '--prefix', folder, '--no-save', '--loglevel=error'];
  run('npm', [...install, `${name}@${version}`], process.env);
}
run(command, args, { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) });

/** Runs a command to its end, and ends this process with its exit code if it fails. */
function run(program, parameters, env) {
  const { status, error } = spawnSync(program, parameters, { cwd: root, stdio: 'inherit', env });
  if (error !== undefined) console.error(`${program} cannot be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}
