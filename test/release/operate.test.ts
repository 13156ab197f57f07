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
  // The tests run with another NODE_ENV, for which Vite builds pages that show nothing.
  const { stdout: packed } = await run('tar', [
    '-tzf',
    join(projectRoot, 'dist', 'packages', `tributary-${version}.tgz`),
  ]);
  expect(packed).toMatch(/web[/]dist[/]assets[/]jsx-runtime/);
  expect(packed).not.toContain('jsx-dev-runtime');
  const file = join(projectRoot, 'dist', 'packages', `tributary-${version}.tgz`);
  await cp(file, join(machine.root, 'root', `tributary-${version}.tgz`));
  await writeNextVersion(file, join(machine.root, 'root', `tributary-${NEXT}.tgz`));
  await writeFile(join(machine.root, 'root', 'deployer.key'), DEPLOYER_KEY, { mode: 0o600 });
  // The certificate of `localhost` is Caddy's own.
  await writeFile(join(machine.root, 'root', '.curlrc'), 'insecure\n');
  shell = machine.shell();
}, 900_000);

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
  it.each(['install.md', 'upgrade.md', 'recover.md'])(
    'runs the commands of docs/operate/%s, and prints what the page shows',
    async (name) => {
      const page = await readFile(join(projectRoot, 'docs', 'operate', name), 'utf8');
      // Something to restore and to audit.
      if (name === 'upgrade.md') await sellThere();
      expect(await runPage(page, shell, replacements())).toBeUndefined();
      await expectNoSecretInLogs();
    },
    1_200_000,
  );

  it('passes no secret to Caddy, and lets no other account read or change its configuration', async () => {
    const variables = await output(
      "tr '\\0' '\\n' < /proc/$(systemctl show -P MainPID caddy)/environ",
    );
    expect(variables).toContain('TRIBUTARY_SITE=localhost\n');
    expect(variables).not.toMatch(/DATABASE_URL|SECRET|TOKEN|RPC_URL/);
    await output('systemctl reload caddy');
    const socket = 'curl -s -o /dev/null --unix-socket /run/caddy/admin.sock http://caddy/config/';
    await output(socket);
    const refused = await output(`runuser -u nobody -- ${socket} || echo "ended with $?"`);
    // The code of curl if it cannot connect.
    expect(refused.trim()).toBe('ended with 7');
    expect(await output('ss -Hltn "sport = :2019"')).toBe('');
  });

  it('keeps two base backups that can be read, and only the log since the older one', async () => {
    const list = async (folder: string) => (await output(`ls ${ARCHIVE}/${folder}`)).split('\n');
    for (let i = 0; i < 2; i += 1) {
      // The names have whole seconds.
      await output('sleep 1; systemctl start tributary-base-backup');
    }
    const segments = async () => (await list('wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
    const [before, log] = [await list('base'), await segments()];
    await output('sleep 1; systemctl start tributary-base-backup');
    const after = await list('base');
    expect(after.filter((name) => name !== '')).toHaveLength(2);
    expect(after[0]).toBe(before[1]);
    expect(log).not.toEqual([]);
    expect(await segments()).not.toContain(log[0]);
    const verify = '/usr/lib/postgresql/15/bin/pg_verifybackup';
    for (const name of ['$(ls | head -n 1)', '$(ls | tail -n 1)']) {
      await output(`cd ${ARCHIVE}/base && sudo -u postgres ${verify} -q "${name}"`);
    }
  });

  it('installs the pages that units and alerts refer to', async () => {
    const folder = '/etc/systemd/system';
    const units = await output(`grep -ho "file:///opt/tributary/.*" ${folder}/tributary-*`);
    const pages = units.trim().split('\n');
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) await output(`test -s ${page.replace('file://', '')}`);
    const links = await output(
      "sed -n 's#.*runbook_url: .*/\\(docs/[a-z/]*.md\\).*#\\1#p' /etc/prometheus/rules.yaml | sort -u",
    );
    expect(links).toContain('docs/operate/alarms.md');
    for (const page of links.trim().split('\n')) await output(`test -s /opt/tributary/${page}`);
  });
});

/** Where the last page archives the log of PostgreSQL. */
const ARCHIVE = '/var/lib/tributary-archive';

/** Runs commands that must succeed. @returns what they printed. */
async function output(commands: string): Promise<string> {
  const { code, stdout, stderr } = await shell.run(commands);
  expect({ commands, code, stderr: code === 0 ? '' : stderr }).toMatchObject({ code: 0 });
  return stdout;
}

/** Searches all logs of the machine for the values of secret variables, and for the database's password. */
async function expectNoSecretInLogs(): Promise<void> {
  const file = await readFile(join(machine.root, 'etc', 'tributary', 'tributary.env'), 'utf8');
  const [, password = ''] = /^DATABASE_URL=postgres:\/\/tributary:(.+)@/m.exec(file) ?? [];
  const secrets = [...file.matchAll(/^(?:SECRET|METRICS_TOKEN)=(.+)$/gm)].map(([, value]) => value);
  const values = [password, ...secrets, DEPLOYER_KEY];
  expect(values.map((value) => String(value).length >= 48)).toEqual([true, true, true, true]);
  const logs =
    "{ journalctl -q --no-pager -o export; find /var/log -name '*.log' -exec cat {} +; } > /tmp/logs";
  await output(logs);
  // The search finds what is there.
  expect(await output('grep -acF SYSLOG_IDENTIFIER=caddy /tmp/logs')).not.toBe('0');
  for (const value of values) {
    expect(await output(`grep -aF -e '${value}' /tmp/logs | cut -c1-60`)).toBe('');
  }
  await output('rm /tmp/logs');
}

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
