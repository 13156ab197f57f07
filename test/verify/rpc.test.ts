import { createPublicClient, encodeErrorResult, http, type PublicClient } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import { findLogs } from '../../engine/verify/chain/search.ts';
import {
  type CheckName,
  checkNames,
  type Verification,
  VerifyInputError,
  verifySale,
} from '../../engine/verify/index.ts';
import { type RpcCall, RpcRefusal, startTraitRpc } from '../support/rpc-traits/proxy.ts';
import { batchingClient, type Question, Refusal, strangeClient } from './clients.ts';
import { receiptsOf } from './receipt.ts';
import { messageOf, only, requestsOf, statuses } from './results.ts';
import { pythonIsInstalled, startSecondVerifierOfSales } from './second/second-verifier.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

const SECRET = 'https://rpc.example/v2/s3cret-key';

/** What a contract returns that does not know a sale. */
const UNKNOWN_SALE = encodeErrorResult({
  abi: referralCommerceAbi,
  errorName: 'UnknownSale',
  args: [1n],
});

/** What nodes make of a call that reverts: their code and words, and where they put what it returned. */
const reverts: readonly (readonly [string, RevertStyle])[] = [
  ['geth', { code: 3, words: 'execution reverted', data: (hex) => hex }],
  ['Besu', { code: -32_000, words: 'Execution reverted', data: (hex) => hex }],
  [
    'older Nethermind',
    { code: -32_015, words: 'VM execution error.', data: (hex) => `Reverted ${hex}` },
  ],
  ['the relay of Hedera', { code: -32_008, words: 'execution reverted', data: (hex) => hex }],
  ['EDR', { code: -32_000, words: 'VM Exception', data: (hex) => ({ reason: {}, data: hex }) }],
  ['Hardhat 2', { code: -32_603, words: 'VM Exception', data: (hex) => ({ data: hex }) }],
];

interface RevertStyle {
  readonly code: number;
  readonly words: string;
  readonly data: (returned: `0x${string}`) => unknown;
}

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;
let url: string;

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
  url = scene.chain.anvil.url;
});
afterAll(() => scene?.chain.stop());

describe('a sale that is not there', () => {
  it('fails the sale check for an unknown sale, and makes no other check', async () => {
    const { client } = batchingClient(url);
    const result = await verifySale({
      client,
      contractAddress: scene.chain.contract,
      saleId: '999',
    });
    expect(statuses(result)).toEqual(only({ sale: 'fail' }, 'unavailable'));
    expect(result.verdict).toBe('fail');
    expect(messageOf(result, 'sale')).toMatch(
      /on chain 31337 has no sale 999 in blocks 0 to \d+\.$/,
    );
    expect(messageOf(result, 'split')).toBe('There is no sale 999 to check.');
  });

  describe.each(reverts)(
    'by the words of %s for a call that reverts',
    (_, { code, words, data }) => {
      it.each([
        ['fails the sale check if the contract does not know the sale', UNKNOWN_SALE, 'fail'],
        ['knows nothing if the call fails without a reason', '0x', 'unavailable'],
      ] as const)('%s', async (_name, returned, status) => {
        const rpc = await startTraitRpc(url);
        const isCall = ({ method }: RpcCall) => method === 'eth_call';
        // anvil's own error is passed on: the chain has sale 1, of which no log is shown.
        rpc.lie = (result, call) => {
          if (isCall(call)) throw new RpcRefusal(words, code, data(returned));
          return call.method === 'eth_getLogs' ? [] : result;
        };
        const asked = { contractAddress: scene.chain.contract, saleId: '1' };
        const result = await verifySale({ client: batchingClient(rpc.url).client, ...asked });
        expect(statuses(result)).toEqual(only({ sale: status }, 'unavailable'));
        if (pythonIsInstalled) {
          const second = startSecondVerifierOfSales();
          const question = { rpc: rpc.url, contract: scene.chain.contract, saleId: '1' };
          const [opinion] = await second.opinions([question]);
          await second.stop();
          expect(opinion?.checks.sale).toBe(status);
        }
        await rpc.stop();
      });
    },
  );

  it('says if the receipt is ahead of the chain', async () => {
    const { client } = batchingClient(url);
    const good = receiptFor(sales.direct);
    const served = { ...good, record: { ...good.record, blockNumber: '99999999' } };
    const result = await verifySale({
      ...{ client, contractAddress: scene.chain.contract, served },
      saleId: '999',
    });
    expect(messageOf(result, 'sale')).toContain('which the chain has not reached');
    expect(result).toMatchObject({ verdict: 'fail', reason: null });
  });

  it.each<[string, () => `0x${string}`, RegExp]>([
    ['has no contract', () => `0x${'12'.repeat(20)}`, /^There is no contract at 0x1212.* on chain/],
    ['is another contract', () => scene.token, /is not a Tributary contract/],
  ])('checks nothing if the named address %s, and says so once', async (_, address, reason) => {
    const { client } = batchingClient(url);
    const contractAddress = address();
    const bare = await verifySale({ client, contractAddress, saleId: '1' });
    expect(statuses(bare)).toEqual(only({}, 'unavailable'));
    expect(bare.reason).toMatch(reason);
    const served = receiptFor(sales.direct);
    const result = await verifySale({ client, contractAddress, saleId: '1', served });
    expect(result.verdict).toBe('unavailable');
    expect(result.reason).toBe(
      `The receipt is of contract ${served.contractAddress}, not of contract ${contractAddress}.`,
    );
    const lie = { ...served, contractAddress };
    expect(
      (await verifySale({ client, contractAddress, saleId: '1', served: lie })).reason,
    ).toMatch(reason);
  });

  it('checks nothing if the RPC is of another chain, by its id or its first block', async () => {
    const { client } = batchingClient(url);
    const contractAddress = scene.chain.contract;
    const good = receiptFor(sales.direct);
    const record = { ...good.record, transactionHash: `0x${'34'.repeat(32)}` as const };
    const ask = (served: ReceiptFields, genesisHash?: string) =>
      verifySale({ client, contractAddress, saleId: good.saleId, served, genesisHash });
    const elsewhere = await ask({ ...good, record, chainId: 10 });
    expect(elsewhere.reason).toBe('The receipt is of chain 10, and the RPC is of chain 31337.');
    const twin = await ask({ ...good, record }, `0x${'56'.repeat(32)}`);
    expect(twin.reason).toMatch(/^The RPC is of another chain with the id 31337/);
    expect(twin.verdict).toBe('unavailable');
    // The same transaction is on this chain, whatever the service says of the first block.
    expect((await ask(good, `0x${'56'.repeat(32)}`)).verdict).toBe('pass');
    expect((await ask({ ...good, chainId: 10 })).verdict).toBe('fail');
  });

  it('checks nothing if the contract has the sale and the RPC has no log of it', async () => {
    const client = strangeClient(url, ({ method }, pass) =>
      method === 'eth_getLogs' ? [] : pass(),
    );
    const result = await verify(client, sales.direct);
    expect(result.verdict).toBe('unavailable');
    expect(result.reason).toContain('but the RPC returned no log of it in blocks');
  });

  it('refuses a malformed sale id or address', async () => {
    const { client } = batchingClient(url);
    const contractAddress = scene.chain.contract;
    for (const saleId of [
      '',
      '-1',
      '1.5',
      '007',
      '0x1',
      '9'.repeat(78),
      '9'.repeat(79),
      'demo-1',
    ]) {
      await expect(verifySale({ client, contractAddress, saleId })).rejects.toThrow(
        VerifyInputError,
      );
    }
    await expect(verifySale({ client, contractAddress: '0x12', saleId: '1' })).rejects.toThrow(
      VerifyInputError,
    );
  });
});

describe('an RPC without old states', () => {
  const forgetful = () =>
    strangeClient(url, async (question, pass) => {
      const head = await pass({ method: 'eth_blockNumber', params: [] });
      if (question.method === 'eth_call' && question.params[1] !== head) {
        throw new Refusal(-32_000, `missing trie node at ${SECRET}`);
      }
      return pass();
    });

  it('reports the split as unavailable with the reason if the RPC has no old states', async () => {
    const result = await verify(forgetful(), sales.fiveLevel);
    expect(statuses(result)).toEqual(only({ split: 'unavailable' }));
    expect(result.verdict).toBe('unavailable');
    expect(messageOf(result, 'split')).toMatch(
      /^The campaign’s ledger at block \d+, which takes an RPC that keeps old states, could not be read: the RPC refused \(code -32000\)\./,
    );
    expect(JSON.stringify(result)).not.toContain('s3cret');
    expect(result.facts?.split).toBeUndefined();
  });

  it('fails a split that contradicts the log even if the RPC has no old states', async () => {
    const good = receiptFor(sales.fiveLevel);
    const split = { ...good.split, pool: '1' };
    const result = await verify(forgetful(), sales.fiveLevel, { ...good, split });
    expect(statuses(result)).toEqual(only({ split: 'fail' }));
  });

  it('needs no old states for a campaign that was created in the block of the sale, if that is the head', async () => {
    expect((await verify(forgetful(), sales.secondOfBlock)).verdict).toBe('pass');
  });

  it('detects an RPC that returns the newest state instead of an old one', async () => {
    const client = strangeClient(url, ({ method, params }, pass) =>
      pass(method === 'eth_call' ? { method, params: [params[0], 'latest'] } : undefined),
    );
    const result = await verify(client, sales.fiveLevel);
    expect(statuses(result)).toEqual(only({ split: 'unavailable' }));
    expect(messageOf(result, 'split')).toContain('contradict the campaign’s events');
  });
});

describe('an RPC that fails', () => {
  it('reports a dead RPC without its URL or key', async () => {
    const client = createPublicClient({
      transport: http('http://127.0.0.1:9/s3cret-key', { batch: true, retryCount: 0 }),
    });
    const result = await verify(client, sales.direct);
    expect(result).toMatchObject({ chainId: null, block: null, verdict: 'unavailable' });
    expect(messageOf(result, 'sale')).toBe(
      'The chain’s id could not be read: the RPC cannot be reached.',
    );
    expect(JSON.stringify(result)).not.toMatch(/s3cret|127\.0\.0\.1/);
  });

  it.each([
    ['answers 401', new Response(`no ${SECRET}`, { status: 401 }), 'the RPC answered HTTP 401'],
    ['answers no JSON', new Response(`<p>${SECRET}</p>`), 'the RPC '],
    [
      'names its key in an error',
      Response.json({ jsonrpc: '2.0', id: 0, error: { code: -32_005, message: SECRET } }),
      'the RPC refused (code -32005)',
    ],
  ])('reports an RPC without its URL or key if it %s', async (_, response, reason) => {
    const fetchFn = async () => response.clone();
    const client = createPublicClient({ transport: http(SECRET, { fetchFn, retryCount: 0 }) });
    const result = await verify(client, sales.direct);
    expect(result.verdict).toBe('unavailable');
    expect(result.reason).toContain(reason);
    expect(JSON.stringify(result)).not.toMatch(/s3cret|rpc\.example/);
  });

  it.each<[string, (question: Question) => boolean, CheckName[]]>([
    ['receipts', ({ method }) => method === 'eth_getTransactionReceipt', ['transaction']],
    ['calls', ({ method }) => method === 'eth_call', ['split']],
    ['creations', requestsOf('CampaignCreated'), ['campaign']],
    ['joins', requestsOf('NodeJoined'), ['path', 'split', 'transitions', 'rewards']],
    [
      'policies',
      requestsOf('PolicyScheduled'),
      ['policy', 'path', 'split', 'transitions', 'state', 'rewards'],
    ],
    ['claims', requestsOf('RewardsClaimed'), ['transitions', 'rewards', 'age']],
    ['sale events', requestsOf('SaleRecorded'), [...checkNames]],
    [
      'old blocks',
      ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] !== 'latest',
      ['transaction', 'policy', 'path', 'split', 'transitions', 'state', 'rewards'],
    ],
  ])(
    'leaves only the checks open that depend on a refused request: %s',
    async (_, refuses, open) => {
      const client = strangeClient(url, (question, pass) => {
        if (refuses(question)) throw new Refusal(-32_603, SECRET);
        return pass();
      });
      const result = await verify(client, sales.reversed);
      const expected = Object.fromEntries(open.map((name) => [name, 'unavailable']));
      expect(statuses(result)).toEqual(only(expected));
      expect(JSON.stringify(result)).not.toContain('s3cret');
    },
  );

  it('searches narrower ranges if the RPC refuses a wide one', async () => {
    await scene.chain.client.mine({ blocks: 1_100 });
    let refused = 0;
    const client = strangeClient(url, ({ method, params }, pass) => {
      const { fromBlock, toBlock } = Object(params[0]);
      if (method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 1_000) {
        refused += 1;
        throw new Refusal(-32_005, 'range too wide');
      }
      return pass();
    });
    expect((await verify(client, sales.reversed)).verdict).toBe('pass');
    expect(refused).toBeGreaterThan(0);
  });

  it('sends no more requests than a search may have', async () => {
    let requests = 0;
    const client = strangeClient(url, () => {
      requests += 1;
      throw new Refusal(-32_005, 'range too wide');
    });
    const range = { from: 0n, to: 20_000_000n };
    const search = findLogs(client, scene.chain.contract, [], range);
    await expect(search).rejects.toThrow(/say from which block to search/);
    expect(requests).toBe(1);
  });
});

function verify(
  client: PublicClient,
  saleId: bigint,
  served: ReceiptFields = receiptFor(saleId),
): Promise<Verification> {
  return verifySale({
    client,
    contractAddress: scene.chain.contract,
    saleId: saleId.toString(),
    served,
    fromBlock: scene.chain.startBlock,
  });
}
