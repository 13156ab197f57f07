// Runs a command with another version of Node, for example
// `node scripts/with-node.mjs 22.13.0 npm test`. Installs that version from npm if it is missing.
import { spawnSync } from 'node:child_process';
import { environmentOf, installedNode, projectRoot } from './node-version.mjs';

const [version, command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('Usage: node scripts/with-node.mjs <version> <command> [<argument> …]');
  process.exit(2);
}

const env = environmentOf(installedNode(version));
const { status, error } = spawnSync(command, args, { cwd: projectRoot, stdio: 'inherit', env });
if (error !== undefined) console.error(`${command} cannot be run: ${error.message}`);
process.exitCode = status ?? 1;
