import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { parseEnv } from 'node:util';
import { type Hex, parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot, sendToGroup } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { startDepositingAnvil } from '../clients/deposits.ts';
import { type ChainNode, testClient } from '../support/chain.ts';
import { waitFor } from '../support/wait-for.ts';
import { blocksOf, missingPart, outputsOf, shellOf } from '../support/walkthrough.ts';
import { pythonIsInstalled } from '../verify/second/second-verifier.ts';

const MARKER = '--- block at line';
/** Base Sepolia, of which the page's RPC is. */
const CHAIN_ID = 84_532;
const PAGE_RPC = 'https://sepolia.base.org';

let dir: string;
/** The page's own files: in the project, where packages are found. */
let folder: string;
let node: ChainNode | undefined;
let port: number;
let shell: ChildProcessByStdio<null, Readable, Readable> | undefined;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-public-'));
  await chmod(dir, 0o755);
  folder = join(projectRoot, '.tributary', `public-${process.pid}`);
  await mkdir(folder, { recursive: true });
  port = await freePort();
  const logFile = join(dir, 'anvil.log');
  node = await startDepositingAnvil({ logFile, chainId: CHAIN_ID, blockTimeMs: 2_000 });
});

afterAll(async () => {
  // What the page starts in the background, too, if the page did not come to its end.
  if (shell?.pid !== undefined) sendToGroup(shell.pid, 'SIGKILL');
  await node?.stop();
  await rm(folder, { recursive: true, force: true });
  await rm(dir, { recursive: true, force: true });
}, 60_000);

describe('docs/start/public-chain.md', () => {
  it.skipIf(!pythonIsInstalled)(
    'leads to a receipt that is verified offline, and prints the output that the page shows',
    async () => {
      const page = await readFile(join(projectRoot, 'docs', 'start', 'public-chain.md'), 'utf8');
      const blocks = blocksOf(page);
      expect(blocks.filter(({ language }) => language === 'ts')).toEqual([]);
      const { url } = node ?? {};
      if (url === undefined) throw new Error('The chain was not started.');
      const script = shellOf(blocks, MARKER)
        .replaceAll(PAGE_RPC, url)
        .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
        .replaceAll('.tributary/testnet', folder);
      const { code, stdout, stderr } = await runScript(script, url);
      const log = await readFile(join(folder, 'start.log'), 'utf8').catch(() => '');
      expect({ code, stdout, stderr, log }).toEqual({ code: 0, stdout, stderr, log });
      const outputs = outputsOf(stdout, MARKER);
      const documented = blocks.flatMap((block, i) => {
        const before = blocks[i - 1];
        return block.language === 'text' && before ? [{ block, printedBy: before.line }] : [];
      });
      expect(documented.length).toBeGreaterThan(7);
      for (const { block, printedBy } of documented) {
        const output = (outputs.get(printedBy) ?? '').replaceAll(folder, '.tributary/testnet');
        const missing = missingPart(block.text, output);
        expect({ line: block.line, missing, output }).toEqual({ line: block.line, output });
      }
      const key = /DEPLOYER_PRIVATE_KEY=(\w+)/.exec(
        await readFile(join(folder, 'key.env'), 'utf8'),
      )?.[1];
      expect(stdout + stderr + log).not.toContain(key);

      await node?.stop();
      node = undefined;
      const proof = documented.at(-1);
      const { text = '' } = blocks.find(({ line }) => line === proof?.printedBy) ?? {};
      const again = await runOffline(text.replaceAll('.tributary/testnet', folder), stdout);
      expect(again).toEqual({ code: 0, stdout: outputs.get(proof?.printedBy ?? 0), stderr: '' });
    },
    500_000,
  );
});

/** Runs the last commands again, once the RPC is away, with the page's variables. */
async function runOffline(commands: string, printed: string) {
  const [, hash = ''] = /^block \d+: (0x\w{64})$/m.exec(printed) ?? [];
  const chain = parseEnv(await readFile(join(folder, 'chain.env'), 'utf8'));
  const env = { ...inheritedEnv(), ...chain, HASH: hash };
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], {
    cwd: projectRoot,
    env,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** Runs the page's commands in one shell, and pays the account that it shows, as a faucet would. */
async function runScript(script: string, rpcUrl: string) {
  const env = { ...inheritedEnv(), DATA_DIR: join(dir, 'data'), PORT: String(port) };
  shell = spawn('bash', ['-ec', script], {
    cwd: projectRoot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const child = shell;
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = once(child, 'close');
  const shown = waitFor(() => /account +(0x\w{40})/.exec(stdout)?.[1], {
    what: 'the account to pay',
    timeout: 120_000,
  }).catch((cause) => {
    throw new Error(`No account was shown.\n${stdout}\n${stderr}`, { cause });
  });
  const address = await shown;
  const client = testClient(rpcUrl, CHAIN_ID);
  await client.setBalance({ address: address as Hex, value: parseEther('10') });
  const [code] = await closed;
  return { code: code as number | null, stdout, stderr };
}
