import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Wallet } from '@ethereumjs/wallet';
import { concat, type Hex, hexToBytes, parseEther, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceBuild, referralCommerceInput } from '../../abis/referralCommerceBuild.ts';
import {
  CREATE2_PROXY,
  deterministicAddress,
  setupAddress,
} from '../../engine/cli/deploy/build.ts';
import { type Anvil, startAnvil } from '../../engine/cli/stack/anvil.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { accountAt, type TestClient, testClient } from '../support/chain.ts';
import { runHere } from '../support/run-cli.ts';

/** Not the id of a local chain: nothing may assume that one. */
const CHAIN_ID = 424_242;
const PASSWORD = 'correct horse battery staple';

let dir: string;
let anvil: Anvil;
let client: TestClient;
const servers: Server[] = [];
const key = generatePrivateKey();
const account = privateKeyToAccount(key);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-deploy-'));
  const logFile = join(dir, 'anvil.log');
  anvil = await startAnvil({ logFile, chainId: CHAIN_ID, blockTimeSeconds: 2 });
  client = testClient(anvil.url, CHAIN_ID);
  await client.setBalance({ address: account.address, value: parseEther('1000') });
});

afterAll(async () => {
  for (const server of servers) server.close();
  await anvil?.stop();
  await rm(dir, { recursive: true, force: true });
});

/** Runs `tributary deploy` against the chain, and checks that it prints no secret. */
async function deploy(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const result = await runHere(['deploy', '--rpc', anvil.url, ...args], env);
  for (const secret of [key, key.slice(2), PASSWORD]) {
    expect(result.stdout + result.stderr).not.toContain(secret);
  }
  return result;
}

/** A keystore file of the key. */
async function keystore(name: string, options: object): Promise<string> {
  const path = join(dir, name);
  const text = await new Wallet(hexToBytes(key)).toV3String(PASSWORD, options);
  await writeFile(path, text);
  return path;
}

/** An HTTP server that answers JSON-RPC. @returns its URL. */
async function rpcServer(
  answer: (method: string, params: unknown[]) => Promise<object>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Call | Call[];
    const one = async ({ id, method, params }: Call) => ({
      ...{ jsonrpc: '2.0', id },
      ...(await answer(method, params ?? [])),
    });
    const answers = Array.isArray(body) ? await Promise.all(body.map(one)) : await one(body);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
type Call = { id: number; method: string; params?: unknown[] };

const NO_METHOD = { error: { code: -32601, message: 'the method does not exist' } };

describe('tributary deploy', () => {
  it('deploys with the key of the environment, and writes variables and standard JSON input', async () => {
    const [envFile, standardJson] = [join(dir, 'chain.env'), join(dir, 'input.json')];
    const { code, stdout, stderr } = await deploy(
      ['--yes', '--confirmations', '2', '--write-env', envFile, '--standard-json', standardJson],
      { DEPLOYER_PRIVATE_KEY: key, CONFIRMATIONS: '3' },
    );
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Sent 0x\w+; waiting for 2 confirmation/),
    });
    const variables = await readFile(envFile, 'utf8');
    expect(stdout).toContain(variables);
    expect((await stat(envFile)).mode & 0o777).toBe(0o600);
    const [, contract = '', block = ''] =
      /CONTRACT_ADDRESS=(0x\w{40})\nSTART_BLOCK=(\d+)\n$/.exec(variables) ?? [];
    expect(variables).toMatch(`CHAIN_ID=${CHAIN_ID}\nRPC_URL=${anvil.url}\n`);
    const address = contract as Hex;
    const at = async (blockNumber: bigint) => await client.getCode({ address, blockNumber });
    expect(await at(BigInt(block) - 1n)).toBeUndefined();
    expect(await at(BigInt(block))).toBeDefined();
    expect(await client.getBlockNumber()).toBeGreaterThan(BigInt(block));
    expect(JSON.parse(await readFile(standardJson, 'utf8'))).toEqual(referralCommerceInput);
    expect(stdout).toMatch(/gas used +\d{7}\n/);
  });

  it.each([
    ['scrypt, with a password file', { kdf: 'scrypt', n: 1_024 }, true],
    ['pbkdf2, with KEYSTORE_PASSWORD', { kdf: 'pbkdf2', c: 1_024 }, false],
  ])('deploys with a keystore file of %s', async (name, options, file) => {
    const path = await keystore(`${options.kdf}.json`, options);
    const passwordFile = join(dir, 'password');
    await writeFile(passwordFile, `${PASSWORD}\n`);
    const { code, stdout, stderr } = await deploy(
      ['--yes', '--json', '--keystore', path, ...(file ? ['--password-file', passwordFile] : [])],
      file ? {} : { KEYSTORE_PASSWORD: PASSWORD },
    );
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: expect.any(String) });
    const { transaction } = JSON.parse(stdout);
    const { from } = await client.getTransaction({ hash: transaction.hash });
    expect(from).toBe(account.address.toLowerCase());
  });

  it('rejects a wrong password, and a file that is no keystore, without sending anything', async () => {
    const path = await keystore('wrong.json', { kdf: 'scrypt', n: 1_024 });
    const nonce = await client.getTransactionCount({ address: account.address });
    const wrong = await deploy(['--yes', '--keystore', path], { KEYSTORE_PASSWORD: 'wrong words' });
    expect(wrong).toMatchObject({
      code: 1,
      stderr: `The password does not open the keystore ${path}.\n`,
    });
    const none = await deploy(['--yes', '--keystore', 'package.json'], { KEYSTORE_PASSWORD: 'x' });
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('package.json is no keystore file');
    const missing = await deploy(['--yes', '--keystore', path]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('The keystore needs a password');
    expect(await client.getTransactionCount({ address: account.address })).toBe(nonce);
  });

  it('deploys with an external signer, whatever method it has', async () => {
    const unlocked = accountAt(client.chain ? await client.getAddresses() : [], 0);
    const node = await deploy(['--json', '--signer', anvil.url, '--from', unlocked]);
    expect(node).toMatchObject({ code: 0, stderr: expect.stringContaining('for 1 confirmation') });
    expect(JSON.parse(node.stdout)).toMatchObject({
      status: 'deployed',
      chainId: CHAIN_ID,
      codeMatches: true,
      contract: 'contracts/ReferralCommerce.sol:ReferralCommerce',
      compiler: expect.stringMatching(/^0\.8\.37\+commit\./),
    });
    const clef = await rpcServer(async (method, params) => {
      if (method !== 'account_signTransaction') return NO_METHOD;
      const raw = await signAs(params[0]);
      return { result: { raw, tx: {} } };
    });
    const signed = await deploy(['--json', '--signer', clef, '--from', account.address]);
    expect(signed).toMatchObject({ code: 0 });
    const sender = await rpcServer(async (method, params) => {
      if (method !== 'eth_sendTransaction') return NO_METHOD;
      const serializedTransaction = await signAs(params[0]);
      return { result: await client.sendRawTransaction({ serializedTransaction }) };
    });
    const sent = await deploy(['--json', '--signer', sender, '--from', account.address], {
      CONFIRMATIONS: '2',
    });
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining('for 2 confirmation') });
  });

  it('sends nothing if an external signer refuses, or signs something else', async () => {
    const refusing = await rpcServer(async () => ({ error: { code: -32000, message: 'denied' } }));
    const from = ['--from', account.address];
    const refused = await deploy(['--json', '--signer', refusing, ...from]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('did not sign: denied');
    const nonce = await client.getTransactionCount({ address: account.address });
    const lying = await rpcServer(async (_method, params) => ({
      result: await signAs({ ...(params[0] as object), data: '0x6001' }),
    }));
    const lied = await deploy(['--json', '--signer', lying, ...from]);
    expect(lied.code).toBe(1);
    expect(lied.stderr).toContain('The signer signed another transaction');
    expect(await client.getTransactionCount({ address: account.address })).toBe(nonce);
  });

  it('requires exactly one key, and options that belong to it', async () => {
    expect(await deploy(['--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name one key: '),
    });
    expect(await deploy(['--keystore', 'a'], { DEPLOYER_PRIVATE_KEY: key })).toMatchObject({
      code: 2,
      stderr: 'Name one key only, not --keystore and DEPLOYER_PRIVATE_KEY.\n',
    });
    expect(await deploy(['--signer', anvil.url])).toMatchObject({
      code: 2,
      stderr: '--signer and --from need each other.\n',
    });
    const bad = await deploy([], { DEPLOYER_PRIVATE_KEY: `${key}ff` });
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('DEPLOYER_PRIVATE_KEY') });
  });

  it('needs --yes without a terminal, and sends nothing in a dry run', async () => {
    const env = { DEPLOYER_PRIVATE_KEY: key };
    const nonce = await client.getTransactionCount({ address: account.address });
    const asked = await deploy([], env);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    const dry = await deploy(['--dry-run', '--json'], env);
    expect(dry.code).toBe(0);
    expect(JSON.parse(dry.stdout)).toMatchObject({ status: 'planned', chainId: CHAIN_ID });
    expect(await client.getTransactionCount({ address: account.address })).toBe(nonce);
  });

  it('says what is missing if the account cannot pay', async () => {
    const poor = generatePrivateKey();
    const { code, stderr } = await deploy(['--yes'], { DEPLOYER_PRIVATE_KEY: poor });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^0x\w{40} has 0 of the chain's coin on chain 424242, and deploying may cost 0\.\d+/,
    );
  });

  it('exits 3 if the RPC is away, without the key in its URL', async () => {
    const url = 'http://127.0.0.1:9/v2/0123456789abcdef';
    const { code, stdout, stderr } = await runHere(['deploy', '--rpc', url, '--yes'], {
      DEPLOYER_PRIVATE_KEY: key,
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('The RPC 127.0.0.1:9 did not respond');
    expect(stderr).not.toContain('0123456789abcdef');
  });

  it('deploys to the address of a salt once, and finds it after that', async () => {
    const env = { DEPLOYER_PRIVATE_KEY: key };
    const salt = toHex('shop', { size: 32 });
    const first = await deploy(['--json', '--salt', salt], env);
    expect(first).toMatchObject({ code: 0 });
    const deployed = JSON.parse(first.stdout);
    expect(deployed.contractAddress).toBe(deterministicAddress(salt));
    const again = await deploy(['--json', '--salt', salt], env);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(again.stdout)).toEqual({
      ...deployed,
      status: 'existing',
      transaction: null,
    });
    const text = await deploy(['--dry-run', '--json', '--salt', 'another'], env);
    expect(JSON.parse(text.stdout).contractAddress).not.toBe(deployed.contractAddress);

    // An RPC that has no history.
    const pruned = await rpcServer(async (method, params) =>
      method === 'eth_getCode' && params[1] !== 'latest'
        ? { error: { code: -32000, message: 'missing trie node' } }
        : { result: await client.request({ method, params } as never) },
    );
    const found = await runHere(['deploy', '--rpc', `${pruned}/v2/apikey`, '--salt', salt], env);
    expect(found).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('# START_BLOCK is unknown'),
    });
    expect(found.stdout).toContain('RPC_URL=http://127.0.0.1:');
    expect(found.stdout).not.toContain('apikey');
  });

  it('says clearly if the chain has no deployment proxy', async () => {
    const proxy = await client.getCode({ address: CREATE2_PROXY });
    await client.setCode({ address: CREATE2_PROXY, bytecode: '0x' });
    try {
      const { code, stderr } = await deploy(['--salt', 'a'], { DEPLOYER_PRIVATE_KEY: key });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`no deterministic deployment proxy at ${CREATE2_PROXY}`),
      });
    } finally {
      await client.setCode({ address: CREATE2_PROXY, bytecode: proxy ?? '0x' });
    }
  });

  it('asks on a terminal for the password, which it does not show, and for a confirmation', async () => {
    const path = await keystore('terminal.json', { kdf: 'scrypt', n: 1_024 });
    const args = ['scripts/tributary.mjs', 'deploy', '--rpc', anvil.url, '--keystore', path];
    const command = [process.execPath, ...args].join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: projectRoot,
      env: { ...inheritedEnv(), DATA_DIR: '/nonexistent/tributary' },
    });
    let screen = '';
    child.stdout.on('data', (chunk) => {
      const before = screen;
      screen += chunk;
      const appeared = (text: string) => screen.includes(text) && !before.includes(text);
      if (appeared('terminal.json:')) child.stdin.write(`${PASSWORD}\r`);
      if (appeared('[y/N]')) child.stdin.write('y\r');
    });
    const [code] = await once(child, 'close');
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining('Deployed') });
    expect(screen).toContain(`chain      ${CHAIN_ID}`);
    expect(screen).not.toContain(PASSWORD);
  });
});

describe('tributary verify-contract', () => {
  it('accepts this build, and no code with another value in it', async () => {
    const salt = toHex('to verify', { size: 32 });
    const first = await deploy(['--json', '--salt', salt], { DEPLOYER_PRIVATE_KEY: key });
    const { contractAddress: address, startBlock } = JSON.parse(first.stdout);
    const verify = (at: string) => runHere(['verify-contract', at, '--rpc', anvil.url, '--json']);
    const found = await verify(address);
    expect(found).toMatchObject({ code: 0 });
    expect(JSON.parse(found.stdout)).toMatchObject({ status: 'existing', startBlock });

    // The same code at another address has the domain separator of the first.
    const copy = `0x${'c0'.repeat(20)}` as const;
    await client.setCode({ address: copy, bytecode: (await client.getCode({ address })) ?? '0x' });
    const copied = await verify(copy);
    expect(copied).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not that of this build'),
    });
    const blank = `0x${'c1'.repeat(20)}` as const;
    const bytecode = referralCommerceBuild.deployedBytecode;
    await client.setCode({ address: blank, bytecode });
    expect(await verify(blank)).toMatchObject({ code: 1 });
    // The constructor's second contract, whose code runs on the storage of the first.
    const setup = setupAddress(address);
    const ownSetup = await client.getCode({ address: setup });
    await client.setCode({ address: setup, bytecode: concat([ownSetup ?? '0x', '0x00']) });
    expect(await verify(address)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not that of this build'),
    });
    await client.setCode({ address: setup, bytecode: ownSetup ?? '0x' });
    expect(await verify(address)).toMatchObject({ code: 0 });
    const none = await verify(account.address);
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no contract'),
    });
  });
});

/** Signs a transaction of JSON-RPC with the test's key. */
async function signAs(rpcTransaction: unknown): Promise<Hex> {
  const { data, gas, nonce, chainId, maxFeePerGas, maxPriorityFeePerGas, to } =
    rpcTransaction as Record<string, Hex>;
  return await account.signTransaction({
    ...{ data, gas: BigInt(gas ?? 0), nonce: Number(nonce), chainId: Number(chainId), to },
    maxFeePerGas: BigInt(maxFeePerGas ?? 0),
    maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas ?? 0),
  });
}
