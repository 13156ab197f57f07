// `npm run check`: runs every `check:…` script of package.json, as many concurrently as there are
// cores, in the order in which they are listed. Prints the output of those that fail.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const waiting = Object.entries(scripts).filter(([name]) => name.startsWith('check:'));
const env = {
  NO_COLOR: '1',
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
};

await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));

/** Runs checks until none is waiting. */
async function runWaiting() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(...next);
}

async function run(name, command) {
  const startedAt = performance.now();
  const child = spawn(command, { cwd: root, env, shell: true });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
  if (code === 0) return;
  process.stdout.write(Buffer.concat(output));
  process.exitCode = 1;
}
