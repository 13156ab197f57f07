import { type Address, keccak256 } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonRpcRequest } from '../../engine/chain/client.ts';
import type { AbilityName, AbilityStatus } from '../../engine/cli/doctor/ability.ts';
import type { AskerLimits } from '../../engine/cli/doctor/asker.ts';
import { lacksAtStart } from '../../engine/cli/doctor/at-start.ts';
import { examine } from '../../engine/cli/doctor/examine.ts';
import { headOf } from '../../engine/cli/doctor/probes/head.ts';
import type { Expected, SeenBlock } from '../../engine/cli/doctor/subject.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { confirmSurroundings } from '../../engine/cli/startup/confirm-surroundings.ts';
import { readEnv } from '../../engine/env.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { type CountingRpc, startCountingRpc } from '../support/counting-rpc.ts';
import {
  honest,
  type Lie,
  type RpcCall,
  RpcRefusal,
  startTraitRpc,
  type TraitRpc,
} from '../support/rpc-traits/proxy.ts';
import { refusing } from '../support/rpc-traits/refusing.ts';
import type { RpcRequest } from '../support/rpc-traits/trait.ts';
import { runHere } from '../support/run-cli.ts';

/** Not the id of a local chain, of which less is asked. */
const BASE = 8_453;

let chain: TestChain;
let lying: TraitRpc;
let refuser: TraitRpc;
let counting: CountingRpc;
let asked: number;

beforeAll(async () => {
  chain = await startTestChain({ chainId: BASE });
  const token: Address = await deployToken(chain);
  const merchant = accountAt(chain.accounts, 1);
  // As many as the longest range of logs; more would take anvil seconds.
  await chain.client.mine({ blocks: 2_000 });
  await act.createCampaign(chain, merchant, token);
  lying = await startTraitRpc(chain.anvil.url);
  refuser = await startTraitRpc(chain.anvil.url);
  counting = await startCountingRpc(chain.anvil.url);
});
afterAll(async () => {
  await Promise.all([lying?.stop(), refuser?.stop(), counting?.stop()]);
  await chain?.stop();
});
beforeEach(() => {
  asked = lying.calls.length;
});
afterEach(() => {
  lying.lie = honest;
  refuser.behaviours = [];
  counting.reset();
});

const expected = (): Expected => ({
  chainId: BASE,
  contractAddress: chainEnv(chain).contractAddress,
  startBlock: Number(chain.startBlock),
});

/** Variables of the chain. */
const variables = () => ({
  CHAIN_ID: String(BASE),
  RPC_URL: lying.url,
  CONTRACT_ADDRESS: chain.contract,
  START_BLOCK: String(chain.startBlock),
});

/** All abilities of the only RPC, by name. */
async function abilitiesOf(url: string, about: Expected = expected(), limits: AskerLimits = {}) {
  const { rpcs } = await examine([url], about, limits);
  const [{ abilities, ...rest } = { abilities: [] }] = rpcs;
  return { ...rest, by: Object.fromEntries(abilities.map((one) => [one.name, one])) };
}

const refuse = (code: number, message: string): never => {
  throw new RpcRefusal(message, code);
};
const blocksOf = ({ params: [filter] }: RpcCall) => {
  const { fromBlock, toBlock } = Object(filter);
  return Number(toBlock) - Number(fromBlock) + 1;
};
const isTag = ({ params: [tag] = [] }: RpcRequest, ...tags: string[]) => tags.includes(String(tag));

describe('tributary doctor of an RPC that can do everything', () => {
  it('finds each ability by at most 60 calls, and counts them', async () => {
    const { by, calls } = await abilitiesOf(lying.url);
    const names = Object.keys(by);
    const lacking = names.filter((name) => by[name]?.status !== 'ok');
    // The proxy has no WebSocket.
    expect({ lacking, count: names.length }).toEqual({ lacking: ['websocket'], count: 15 });
    expect(calls).toBe(lying.calls.length - asked + 4);
    expect(calls).toBeLessThanOrEqual(60);
    expect(by.logs?.found).toBe('2,000 blocks in one request');
    expect(by.bundles?.found).toMatch(/^header and receipts of block \d+ hash to what it says$/);
    expect(by.state?.found).toBe(`back to block ${chain.startBlock}`);
  });

  it('finds a WebSocket at its address, or at RPC_WS_URL', async () => {
    const { by } = await abilitiesOf(chain.anvil.url);
    expect(by.websocket).toMatchObject({
      status: 'ok',
      set: { RPC_WS_URL: 'the URL of this RPC with ws://, for fewer calls' },
    });
    const rpcWsUrl = chain.anvil.url.replace('http:', 'ws:');
    const { together } = await examine([lying.url], { ...expected(), rpcWsUrl });
    expect(together).toEqual([expect.objectContaining({ name: 'websocket', status: 'ok' })]);
    const away = await examine([lying.url], { ...expected(), rpcWsUrl: 'ws://127.0.0.1:1' });
    expect(away.together).toEqual([expect.objectContaining({ name: 'websocket', status: 'lack' })]);
  });

  it('asks for no tags if FINALITY_BLOCKS is set, and proves no receipts where no bundle is possible', async () => {
    const { by } = await abilitiesOf(lying.url, { ...expected(), finalityBlocks: 20 });
    expect(by.finality?.found).toBe('by FINALITY_BLOCKS, 20 behind the head');
    lying.lie = (result, { method }) => (method === 'eth_chainId' ? '0x144' : result);
    const { by: ofZkSync } = await abilitiesOf(lying.url, { ...expected(), chainId: 324 });
    expect(ofZkSync.bundles).toMatchObject({
      status: 'lack',
      found: expect.stringMatching(/on zkSync Era is not that of an Ethereum header/),
    });
  });

  it('needs no contract, and no other variable', async () => {
    const { by } = await abilitiesOf(lying.url, {});
    expect(by.chain).toMatchObject({ status: 'ok', found: `chain ${BASE}` });
    expect(by.history?.found).toBe(`from the first block, ${chain.genesisHash}`);
  });
});

/** Something that an RPC lacks, or refuses. */
interface Case {
  readonly what: string;
  readonly lie: Lie;
  readonly name: AbilityName;
  readonly status: AbilityStatus;
  readonly found: RegExp;
  readonly cost?: RegExp;
}

const cases: readonly Case[] = [
  {
    what: 'tags',
    lie: (result, call) =>
      isTag(call, 'safe', 'finalized') ? refuse(-39_001, 'unknown block') : result,
    ...{ name: 'finality', status: 'lack' },
    found: /^no finalized block: it refused \(code -39001\): "unknown block"$/,
    cost: /at a depth that the indexer assumes/,
  },
  {
    what: 'the safe tag',
    lie: (result, call) => (isTag(call, 'safe') ? null : result),
    ...{
      name: 'finality',
      status: 'lack',
      found: /^finalized \d+ behind the head, no safe block$/,
    },
    cost: /safe only when they are final/,
  },
  {
    what: 'long ranges of logs',
    lie: (result, call) =>
      call.method === 'eth_getLogs' && blocksOf(call) > 500
        ? refuse(-32_602, 'eth_getLogs is limited to 500 blocks')
        : result,
    ...{ name: 'logs', status: 'lack' },
    found: /^500 blocks in one request; 2,000 fail: .*"eth_getLogs is limited to 500 blocks"$/,
    cost: /^The first start reads 2,00\d blocks in 5 calls instead of 2: at least 1 min at 20 a second\.$/,
  },
  {
    what: 'ranges of logs above ten blocks, as results that are too many',
    lie: (result, call) =>
      call.method === 'eth_getLogs' && blocksOf(call) > 10
        ? refuse(-32_005, 'query returned more than 10000 results')
        : result,
    ...{ name: 'logs', status: 'lack', found: /^10 blocks .*more than 10000 results"$/ },
    cost: /20\d calls/,
  },
  {
    what: 'eth_getLogs',
    lie: (result, { method }) =>
      method === 'eth_getLogs' ? refuse(-32_601, 'no such method') : result,
    ...{
      name: 'logs',
      status: 'missing',
      found: /^no range is answered: it refused \(code -32601\)/,
    },
    cost: /finds none/,
  },
  {
    what: 'logs of a block by its hash',
    lie: (result, { method, params: [filter] }) =>
      method === 'eth_getLogs' && Object(filter).blockHash ? refuse(-32_602, 'bad filter') : result,
    ...{ name: 'block-logs', status: 'missing', found: /^no logs of a block by its hash/ },
    cost: /cannot follow new blocks/,
  },
  {
    what: 'receipts of whole blocks',
    lie: (result, { method }) =>
      method === 'eth_getBlockReceipts' ? refuse(-32_601, 'no such method') : result,
    ...{
      name: 'receipts',
      status: 'lack',
      found: /^one by one; eth_getBlockReceipts fails: it refused/,
    },
    cost: /a call for each transaction/,
  },
  {
    what: 'one receipt of a block',
    lie: (result, { method }) =>
      method === 'eth_getBlockReceipts' ? (result as object[]).slice(1) : result,
    ...{
      name: 'receipts',
      status: 'lack',
      found: /^0 receipts of block \d+ in one request, which has 1/,
    },
    cost: /that is missing alone/,
  },
  {
    what: 'any receipt',
    lie: (result, { method }) =>
      /Receipt/.test(method) ? refuse(-32_601, 'no such method') : result,
    ...{ name: 'receipts', status: 'missing', found: /^neither together nor alone/ },
    cost: /nothing is settled/,
  },
  {
    what: 'blooms',
    lie: (result, { method }) =>
      method.startsWith('eth_getBlockBy')
        ? { ...(result as object), logsBloom: `0x${'00'.repeat(256)}` }
        : result,
    ...{ name: 'blooms', status: 'lack', found: /^logsBloom is zero, and block \d+ has logs$/ },
    cost: /one more call a block/,
  },
  {
    what: 'headers that hash to the hash of their block',
    lie: (result, { method }) =>
      method.startsWith('eth_getBlockBy') ? { ...(result as object), extraData: '0x1234' } : result,
    ...{ name: 'bundles', status: 'lack', found: /headers have other fields than Ethereum’s/ },
    cost: /no receipt bundle/,
  },
  {
    what: 'receipts that have the root of their block',
    lie: (result, { method }) =>
      method === 'eth_getBlockReceipts'
        ? (result as object[]).map((one) => ({ ...one, cumulativeGasUsed: '0x1' }))
        : result,
    ...{ name: 'bundles', status: 'lack', found: /receipts of block \d+ have the root 0x/ },
    cost: /no receipt bundle/,
  },
  {
    what: 'state older than 128 blocks',
    lie: (result, { method, params }) =>
      method === 'eth_getBalance' && Number(params[1]) < 1_000
        ? refuse(-32_000, 'missing trie node abc')
        : result,
    ...{
      name: 'state',
      status: 'lack',
      found: /^128 blocks back, not further: .*missing trie node/,
    },
    cost: /does not find START_BLOCK/,
  },
  {
    what: 'state',
    lie: (result, { method }) =>
      method === 'eth_getBalance' ? refuse(-32_601, 'no such method') : result,
    ...{
      name: 'state',
      status: 'missing',
      found: /^none: it refused/,
      cost: /can ask the contract/,
    },
  },
  {
    what: 'proofs of old state',
    lie: (result, { method, params }) =>
      method === 'eth_getProof' && Number(params[2]) < 1_995
        ? refuse(-32_000, 'distance to target block exceeds maximum proof window')
        : result,
    ...{ name: 'proofs', status: 'lack', found: /^0 blocks back, not further/, cost: /^No cost/ },
  },
  {
    what: 'eth_getProof',
    lie: (result, { method }) =>
      method === 'eth_getProof' ? refuse(-32_601, 'no such method') : result,
    ...{ name: 'proofs', status: 'lack', found: /^none: it refused/, cost: /^No cost/ },
  },
  {
    what: 'the history since START_BLOCK',
    lie: (result, { method, params: [from] }) =>
      method === 'eth_getLogs' && Number(Object(from).fromBlock) < 1_000
        ? refuse(4_444, 'pruned history unavailable')
        : result,
    ...{ name: 'history', status: 'missing', found: /^block \d+ \(START_BLOCK\) without its logs/ },
    cost: /cannot read the sales/,
  },
  {
    what: 'a block',
    lie: (result, call) => (isTag(call, 'latest') ? null : result),
    ...{
      name: 'answers',
      status: 'missing',
      found: /^it answers null$/,
      cost: /no RPC of a chain/,
    },
  },
  {
    what: 'the id of this chain',
    lie: (result, { method }) => (method === 'eth_chainId' ? '0x1' : result),
    ...{ name: 'chain', status: 'missing', found: /^The RPC is of chain 1, not of chain 8453$/ },
    cost: /left out/,
  },
];

describe('tributary doctor of an RPC that lacks something', () => {
  it.each(cases)('finds out that it lacks $what', async ({ lie, name, status, found, cost }) => {
    lying.lie = lie;
    const { by, calls } = await abilitiesOf(lying.url);
    expect(by[name]).toMatchObject({ status, found: expect.stringMatching(found) });
    expect(by[name]?.cost).toMatch(cost ?? /./);
    expect(lying.calls.length - asked).toBeLessThanOrEqual(Number(calls));
    expect(calls).toBeLessThanOrEqual(60);
  });

  it.each([
    ['three', 3, 'lack', /^3 in one request; 10 fail/, /in smaller parts/],
    ['none', 1, 'lack', /^3 in one request fail/, /each request alone/],
  ])('finds out that it answers batches of %s only', async (_, max, status, found, cost) => {
    const refusal = { code: -32_600, message: `a batch has ${max} calls`, ofBatch: true } as const;
    refuser.behaviours = [refusing(refusal, (_call, batch) => batch.length > max)];
    const { by, calls } = await abilitiesOf(refuser.url);
    expect(by.batches).toMatchObject({
      status,
      found: expect.stringMatching(found),
      cost: expect.stringMatching(cost),
    });
    expect(by['block-logs']?.status).toBe('ok');
    expect(calls).toBeLessThanOrEqual(60);
  });
});

describe('tributary doctor of an RPC that refuses', () => {
  it.each([
    ['HTTP 429', { status: 429, body: 'Too many requests' }],
    ['429 as an error of JSON-RPC', { code: 429, message: 'Too Many Requests' }],
    ['-32005', { code: -32_005, message: 'daily request count exceeded, request rate limited' }],
    ['HTTP 403', { status: 403, body: '<html>Forbidden</html>' }],
    ['HTTP 200 with a page', { status: 200, body: '<html>Just a moment…</html>' }],
    ['an internal error', { code: -32_603, message: 'upstream connect error' }],
  ])('reads no lack out of %s', async (_, refusal) => {
    const optional = /^eth_(?:getBlockReceipts|getProof|getBalance|getLogs)$/;
    const isOptional = (call: RpcRequest) =>
      optional.test(call.method) || isTag(call, 'safe', 'finalized');
    refuser.behaviours = [refusing(refusal, isOptional)];
    // The pauses are those of the next test.
    const limits = { firstPauseMs: 1 };
    const { by, calls } = await abilitiesOf(refuser.url, expected(), limits);
    const statuses = ['finality', 'receipts', 'logs', 'state', 'proofs'].map(
      (name) => by[name]?.status,
    );
    expect(statuses).toEqual(statuses.map(() => 'unknown'));
    expect(calls).toBeLessThanOrEqual(60);
  });

  it('asks less, and more slowly, after a refusal for the rate of requests', async () => {
    const free = await abilitiesOf(counting.url);
    counting.reset({ requestsPerSecond: 3 });
    const limited = await abilitiesOf(counting.url);
    expect(limited.calls).toBeLessThan(Number(free.calls));
    expect(limited.by.proofs).toMatchObject({
      status: 'unknown',
      found: expect.stringMatching(/not asked/),
    });
    expect(limited.rateLimited).toBeGreaterThan(0);
    expect(limited.by.rate).toMatchObject({ status: 'lack', cost: expect.stringMatching(/pause/) });
    expect(limited.by.chain?.status).toBe('ok');
  });
});

describe('tributary doctor of an RPC that does not answer', () => {
  it('ends after a limit of time, with what is known until then', async () => {
    lying.before = ({ method, params: [tag] }) =>
      method === 'eth_getLogs' || tag === 'safe'
        ? new Promise((resolve) => setTimeout(resolve, 1_000))
        : undefined;
    const began = performance.now();
    const { rpcs } = await examine([lying.url], expected(), { callMs: 300, runMs: 700 });
    expect(performance.now() - began).toBeLessThan(3_000);
    const by = Object.fromEntries(rpcs[0]?.abilities.map(({ name, ...one }) => [name, one]) ?? []);
    expect(by.chain?.status).toBe('ok');
    expect([by.finality?.status, by.logs?.status]).toEqual(['unknown', 'unknown']);
    expect(by.proofs).toMatchObject({
      status: 'unknown',
      found: 'none: it was not asked, because of the limits of calls and time',
    });
    lying.before = () => undefined;
  });
});

describe('tributary doctor of several RPCs', () => {
  it('compares a block below the head, and names the quorum to set', async () => {
    const { together } = await examine([lying.url, chain.anvil.url], expected());
    expect(together).toEqual([
      {
        ...{ name: 'agreement', status: 'ok', isNeeded: true },
        found: expect.stringMatching(/^2 RPCs have the same block \d+$/),
        set: { RPC_QUORUM: '2, if no single RPC shall be trusted' },
      },
    ]);
  });

  it('finds different branches, and different chains', async () => {
    const isRecent = ({ params: [number] }: RpcCall) => Number(number) > 1_000;
    lying.lie = (result, call) =>
      call.method === 'eth_getBlockByNumber' && isRecent(call)
        ? {
            ...(result as { hash: `0x${string}` }),
            hash: keccak256((result as { hash: `0x${string}` }).hash),
          }
        : result;
    const { together } = await examine([chain.anvil.url, lying.url], expected());
    expect(together).toEqual([expect.objectContaining({ name: 'agreement', status: 'missing' })]);
    lying.lie = (result, { method }) => (method === 'eth_chainId' ? '0x1' : result);
    const { rpcs } = await examine([chain.anvil.url, lying.url], {});
    expect(rpcs[1]?.abilities.at(-1)).toMatchObject({ name: 'chain', status: 'missing' });
  });

  it('compares their newest blocks', () => {
    const block = (number: number, timestamp: number): SeenBlock =>
      ({ number, timestamp }) as Partial<SeenBlock> as SeenBlock;
    const headers = [block(91, 1_000), block(100, 1_018)];
    const about = { chainId: BASE, headers, nowMs: 1_020_000 };
    const heads = [block(100, 1_018), block(110, 1_038)];
    expect(headOf(block(100, 1_018), { ...about, heads })).toMatchObject({
      status: 'lack',
      found: 'block 100, 2 s old, a block every 2.0 s, 10 blocks behind another RPC',
    });
    expect(headOf(block(100, 1_018), { ...about, heads: [] })).toMatchObject({ status: 'ok' });
    const late = { ...about, heads: [], nowMs: 1_200_000 };
    expect(headOf(block(100, 1_018), late)).toMatchObject({
      status: 'lack',
      found: 'block 100, 182 s old, a block every 2.0 s',
    });
  });
});

describe('tributary doctor', () => {
  it('exits 0 and prints a line for each ability if all that is needed is there', async () => {
    const { code, stdout, stderr } = await runHere(['doctor'], variables());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^RPC 1, 127\.0\.0\.1:\d+: \d+ calls, [\d.]+ s\n/);
    expect(stdout).toMatch(/\n {2}ok {9}logs {13}2,000 blocks in one request\n/);
    expect(stdout).toMatch(/\nAll that Tributary needs is there\.\n$/);
  });

  it('prints one document of JSON', async () => {
    const { code, stdout } = await runHere(['doctor', '--json', '--rpc', lying.url]);
    expect(code).toBe(0);
    const ability = {
      name: expect.any(String),
      status: expect.stringMatching(/^(?:ok|lack|missing|unknown)$/),
      isNeeded: expect.any(Boolean),
      found: expect.any(String),
    };
    const { rpcs, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ ok: true, chainId: BASE, together: [] });
    expect(rpcs).toEqual([
      {
        ...{ place: 1, host: new URL(lying.url).host, rateLimited: 0 },
        ...{ calls: expect.any(Number), seconds: expect.any(Number), abilities: expect.any(Array) },
      },
    ]);
    for (const one of rpcs[0].abilities) expect(one).toMatchObject(ability);
  });

  it('exits 1 if something needed is missing, 2 after wrong use, 3 if nothing is known', async () => {
    lying.lie = (result, { method }) =>
      method === 'eth_getLogs' ? refuse(-32_601, 'none') : result;
    const missing = await runHere(['doctor'], variables());
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/Something that Tributary needs is missing\.\n$/);
    expect(await runHere(['doctor'])).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: 'Name an RPC: by --rpc <url>, or by RPC_URL.\n',
    });
    const away = await runHere(['doctor', '--rpc', 'http://127.0.0.1:1']);
    expect(away).toMatchObject({ code: 3, stdout: expect.stringMatching(/it does not respond/) });
  });

  it('prints no credentials, whatever the RPC says, and nothing that a terminal obeys', async () => {
    const secrets = ['user-name', 'pass-word', 'key-in-the-path', 'key-in-the-query'];
    const [user, password, path, query] = secrets;
    const url = new URL(`${lying.url}/v2/${path}?key=${query}`);
    Object.assign(url, { username: user, password });
    lying.lie = (result, { method }) =>
      method === 'eth_getProof'
        ? refuse(-32_000, `\u001b[2J${secrets.join(' ')} https://pay.example/${path}`)
        : result;
    for (const args of [[], ['--json']]) {
      const { code, stdout, stderr } = await runHere(['doctor', '--rpc', url.href, ...args]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/… … … … …/);
      for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
      expect(stdout).not.toContain('\u001b[2J');
    }
    const wrong = await runHere(['doctor', '--rpc', `ftp://${user}:${password}@rpc.example`]);
    expect(wrong).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: '--rpc: each RPC must be an http or https address.\n',
    });
  });
});

/** What a start says of an RPC, whose newest block its other checks have. */
async function lacksOf(url: string): Promise<readonly string[]> {
  const request = chain.client.request as (call: JsonRpcRequest) => Promise<unknown>;
  const newest = request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  return await lacksAtStart(url, chainEnv(chain), newest);
}

describe('a program before it begins', () => {
  it('asks five calls besides the newest block, and says nothing of an RPC that lacks nothing', async () => {
    expect(await lacksOf(lying.url)).toEqual([]);
    expect(lying.calls.length - asked).toBe(5);
  });

  it('names each thing that an RPC lacks, in one line', async () => {
    lying.lie = (result, call) => {
      if (call.method === 'eth_getBlockReceipts' || isTag(call, 'finalized'))
        return refuse(-32_601, 'no');
      if (call.method !== 'eth_getLogs' || blocksOf(call) <= 100) return result;
      return refuse(-32_000, 'block range is too wide');
    };
    const host = new URL(lying.url).host;
    expect(await lacksOf(lying.url)).toEqual([
      expect.stringMatching(`^RPC_URL: finality of ${host}: no finalized block: .*\\.$`),
      expect.stringMatching(`^RPC_URL: logs of ${host}: 100 blocks in one request; 500 fail.*\\.$`),
      expect.stringMatching(`^RPC_URL: receipts of ${host}: one by one; .*\\.$`),
    ]);
    expect(lying.calls.length - asked).toBeLessThanOrEqual(12);
  });

  it('says nothing of what an RPC refuses, or does not answer in time', async () => {
    const isRefused = ({ method, params: [tag] = [] }: RpcRequest) =>
      method !== 'eth_getBlockByNumber' || tag === 'finalized';
    refuser.behaviours = [refusing({ status: 429, body: '' }, isRefused)];
    expect(await lacksOf(refuser.url)).toEqual([]);
    expect(await lacksOf('http://127.0.0.1:1')).toEqual([]);
    lying.before = ({ method }) =>
      method === 'eth_getLogs' ? new Promise((resolve) => setTimeout(resolve, 3_000)) : undefined;
    const began = performance.now();
    expect(await lacksOf(lying.url)).toEqual([]);
    expect(performance.now() - began).toBeLessThan(2_500);
    lying.before = () => undefined;
  });

  it.each([
    ['start', true],
    ['indexer', true],
    ['worker', true],
    ['api', false],
  ] as const)('examines its RPCs as %s: %s', async (service, isExamined) => {
    lying.lie = (result, call) => (isTag(call, 'finalized') ? refuse(-39_001, 'none') : result);
    const warnings: string[] = [];
    const PORT = String(await freePort());
    const env = readEnv({ ...variables(), PORT, DATA_DIR: chain.dir });
    await confirmSurroundings(service, env, (sentence) => warnings.push(sentence));
    const ofRpc = warnings.filter((one) => one.startsWith('RPC_URL'));
    const said = expect.stringMatching(
      /^RPC_URL: finality of 127\.0\.0\.1:\d+: no finalized block/,
    );
    expect(ofRpc).toEqual(isExamined ? [said] : []);
  });
});
