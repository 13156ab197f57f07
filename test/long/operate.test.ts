import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { version } from '../../engine/version.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import {
  type DebianMachine,
  debianAvailable,
  type RootShell,
  startDebian,
} from '../support/debian.ts';
import { runPage } from '../support/page-on-debian.ts';
import { Traffic } from '../support/traffic.ts';

const run = promisify(execFile);

/** Not the one of anvil, so that all parts ask as much as on a public chain. */
const CHAIN_ID = 7_312;

/** Key of the first account of anvil's mnemonic. */
const DEPLOYER_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** The version that the second page upgrades to. */
const NEXT = '0.3.0';

let chain: TestChain;
let machine: DebianMachine;
let shell: RootShell;

beforeAll(async () => {
  if (!debianAvailable) return;
  chain = await startTestChain({ chainId: CHAIN_ID });
  await run('npm', ['run', '--silent', 'pack'], { cwd: projectRoot });
  machine = await startDebian();
  const file = join(projectRoot, 'dist', 'packages', `tributary-${version}.tgz`);
  await cp(file, join(machine.root, 'root', `tributary-${version}.tgz`));
  await writeNextVersion(file, join(machine.root, 'root', `tributary-${NEXT}.tgz`));
  await writeFile(join(machine.root, 'root', 'deployer.key'), DEPLOYER_KEY, { mode: 0o600 });
  // The certificate of `localhost` is Caddy's own.
  await writeFile(join(machine.root, 'root', '.curlrc'), 'insecure\n');
  shell = machine.shell();
}, 300_000);

afterAll(async () => {
  await shell?.close();
  await machine?.remove();
  await chain?.stop();
}, 180_000);

/** What a reader replaces by values of their own. */
function replacements(): Record<string, string> {
  return {
    'https://rpc.example': chain.anvil.url,
    'tributary.example': 'localhost',
  };
}

describe.skipIf(!debianAvailable)('a clean Debian', () => {
  it.each(['operate.md', 'maintain.md'])(
    'runs the commands of docs/%s, and prints what the page shows',
    async (name) => {
      const page = await readFile(join(projectRoot, 'docs', name), 'utf8');
      // Something to restore and to audit.
      if (name === 'maintain.md') await sellThere();
      expect(await runPage(page, shell, replacements())).toBeUndefined();
    },
    1_200_000,
  );
});

/** Makes campaigns and sales in the contract that the first page deployed. */
async function sellThere(): Promise<void> {
  const written = await readFile(join(machine.root, 'root', 'chain.env'), 'utf8');
  const [, address] = /^CONTRACT_ADDRESS=(0x[0-9a-fA-F]{40})$/m.exec(written) ?? [];
  if (address === undefined) throw new Error(`chain.env names no contract: ${written}`);
  const traffic = await Traffic.start({ ...chain, contract: address as Address }, 17, 3);
  await traffic.play(40);
}

/** Writes a package with a higher version and one more migration. */
async function writeNextVersion(file: string, next: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-next-'));
  await run('tar', ['-xzf', file, '-C', folder]);
  const manifest = join(folder, 'package', 'package.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace(`"version": "${version}"`, `"version": "${NEXT}"`));
  const migration = join(folder, 'package', 'engine', 'db', 'migrations', '9000_next.sql');
  await writeFile(
    migration,
    '-- locks: none\ncreate table commerce.next (id bigint primary key);\n',
  );
  await run('tar', ['-czf', next, '-C', folder, 'package']);
  await rm(folder, { recursive: true });
}
