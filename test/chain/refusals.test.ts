import { type Address, createPublicClient, type Hex, http, keccak256, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancellableClient, rpcClient } from '../../engine/chain/client.ts';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import { ChainIdentity } from '../../engine/chain/identity.ts';
import { keeperChain } from '../../engine/chain/keeper.ts';
import { chainOf, deploymentOf } from '../../engine/cli/connect.ts';
import { codeAt, deploymentBlock } from '../../engine/cli/deploy/chain.ts';
import type { Heads } from '../../engine/db/heads.ts';
import type { ChainEnv } from '../../engine/env.ts';
import { isSignedByWallet } from '../../engine/http/auth/wallet.ts';
import type { AppDeps } from '../../engine/http/deps.ts';
import {
  observe,
  readAllowance,
  readOrderKeyUsed,
} from '../../engine/http/resources/checkout/observe.ts';
import { nextBlockTime } from '../../engine/http/resources/operations/deadline.ts';
import { readHoldings } from '../../engine/http/resources/operations/holdings.ts';
import { refundedNow } from '../../engine/http/resources/transactions/refund.ts';
import { simulate } from '../../engine/http/resources/transactions/simulate.ts';
import { commerceCall } from '../../engine/http/resources/transactions/unsigned.ts';
import { hasFinalized } from '../../engine/settlement/finality.ts';
import { makeBundle } from '../../engine/verify/bundle/make/index.ts';
import { checkWebhookEvent, verifySale } from '../../engine/verify/index.ts';
import { readRanges } from '../../src/history/rpc.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import { type Refusal, refusing } from '../support/rpc-traits/refusing.ts';

const BASE = 8_453;
const ORDER_KEY = keccak256(toHex('the order'));
const KEY_ACCOUNT = privateKeyToAccount(generatePrivateKey());

let chain: TestChain;
let token: Address;
let buyer: Address;
let merchant: Address;
let sale: { readonly saleId: string; readonly block: number; readonly hash: Hex; readonly tx: Hex };

beforeAll(async () => {
  chain = await startTestChain({ chainId: BASE });
  token = await deployToken(chain);
  [merchant, buyer] = [accountAt(chain.accounts, 1), accountAt(chain.accounts, 2)];
  const id = await act.createCampaign(chain, merchant, token);
  await act.fund(chain, { id, token }, merchant, 1_000_000_000n);
  await act.giveTokens(chain, token, buyer, 1_000_000_000n);
  const { saleId } = await act.buy(chain, id, buyer, { orderKey: ORDER_KEY });
  const block = await chain.client.getBlock();
  const [tx = '0x'] = block.transactions;
  sale = { saleId: String(saleId), block: Number(block.number), hash: block.hash, tx };
});
afterAll(() => chain?.stop());

/** An RPC that refuses something, as the parts of Tributary are given it. */
interface Asked {
  readonly env: ChainEnv;
  readonly url: string;
  readonly deps: AppDeps;
}

/** A place that asks an RPC. */
interface Place {
  readonly what: string;
  /** The methods that are refused. */
  readonly methods: readonly string[];
  readonly ask: (asked: Asked) => Promise<unknown>;
  /** True for a result that says that nothing is known; default: there is none, it only throws. */
  readonly isUnknown?: (result: never) => boolean;
}

/** Errors that are a verdict about the chain, and not about the RPC. */
const VERDICTS = new Set(['NoSaleError', 'WrongChainError', 'BundleImpossibleError']);

const isNull = (result: unknown) => result === null;
const order = () => ({ campaignId: '1', buyer: lower(buyer), orderKey: ORDER_KEY });
const call = { from: () => lower(buyer) };
const heads = (): Heads =>
  ({ finalizedNumber: sale.block, finalizedHash: sale.hash }) as Partial<Heads> as Heads;
const verification = (asked: Asked, saleId: string) =>
  verifySale({ client: rpcClient([asked.url]), contractAddress: chain.contract, saleId });
const isUnavailable = ({ verdict }: { verdict: string }) => verdict === 'unavailable';
const bundle = (asked: Asked, saleId: string) =>
  makeBundle({ client: rpcClient([asked.url]), contractAddress: chain.contract, saleId });
const keeper = ({ env }: Asked) => keeperChain({ ...env, account: KEY_ACCOUNT });
const simulated = ({ deps }: Asked) =>
  simulate(
    deps,
    call.from(),
    commerceCall(deps.deployment, { functionName: 'claimRewards', args: [[1n]], description: '' }),
  );
const isNotSimulated = ({ status }: { status: string }) => status === 'unavailable';

const places: readonly Place[] = [
  {
    what: 'the tags of finality',
    methods: ['eth_getBlockByNumber'],
    ask: ({ env }) => chainOf(env).finality(),
  },
  {
    what: 'a block by its number',
    methods: ['eth_getBlockByNumber'],
    ask: ({ env }) => chainOf(env).blockAt(1),
  },
  { what: 'the head', methods: ['eth_getBlockByNumber'], ask: ({ env }) => chainOf(env).head() },
  {
    what: 'logs',
    methods: ['eth_getLogs'],
    ask: ({ env }) => chainOf(env).logsOf(0, sale.block),
  },
  {
    what: 'the header of a proven block',
    methods: ['eth_getBlockByNumber'],
    ask: ({ env }) => chainOf(env).provenBlocks(sale.block, sale.block),
  },
  {
    what: 'receipts',
    methods: ['eth_getBlockReceipts', 'eth_getTransactionReceipt'],
    ask: ({ env }) => chainOf(env).provenBlocks(sale.block, sale.block),
  },
  {
    what: 'the recorded final block',
    methods: ['eth_getBlockByNumber'],
    ask: ({ env }) => hasFinalized(chainOf(env), heads()),
  },
  {
    what: 'a token’s balance in an audit',
    methods: ['eth_call'],
    ask: ({ env }) => contractReader(env).tokenBalance(token, sale.block),
  },
  {
    what: 'a campaign’s ledger in an audit',
    methods: ['eth_call'],
    ask: ({ env }) => contractReader(env).campaignLedgers(['1'], sale.block),
  },
  {
    what: 'sales that the keeper would finalize',
    methods: ['eth_call'],
    ask: (asked) => keeper(asked).stillPending([{ saleId: sale.saleId, campaignId: '1' }]),
  },
  {
    what: 'the gas of the keeper’s transaction',
    methods: ['eth_estimateGas', 'eth_fillTransaction'],
    ask: (asked) => keeper(asked).gasOf([sale.saleId]),
  },
  {
    what: 'the keeper’s transactions under way',
    methods: ['eth_getTransactionCount'],
    ask: (asked) => keeper(asked).inFlight(),
  },
  {
    what: 'a signature of a contract wallet',
    methods: ['eth_call', 'eth_getCode'],
    ask: ({ deps }) =>
      isSignedByWallet(deps, { address: chain.contract, message: 'hello', signature: '0x1234' }),
  },
  {
    what: 'an approval of a contract wallet',
    methods: ['eth_call'],
    ask: ({ deps }) =>
      isSignedByWallet(deps, { address: chain.contract, message: 'hello', signature: '0x' }),
  },
  { what: 'a simulated call', methods: ['eth_call'], ask: simulated, isUnknown: isNotSimulated },
  {
    what: 'the refunded total of a sale',
    methods: ['eth_call'],
    ask: ({ deps }) => refundedNow(deps, order(), 0n),
  },
  {
    what: 'an order key',
    methods: ['eth_call'],
    ask: ({ deps }) => readOrderKeyUsed(deps, order()),
    isUnknown: isNull,
  },
  {
    what: 'a transaction of a purchase',
    methods: ['eth_getTransactionByHash'],
    ask: ({ deps }) => observe(deps, order(), [sent()]),
    isUnknown: isNull,
  },
  {
    what: 'the receipt of a purchase',
    methods: ['eth_getTransactionReceipt'],
    ask: ({ deps }) => observe(deps, order(), [sent()]),
    isUnknown: isNull,
  },
  {
    what: 'an allowance',
    methods: ['eth_call'],
    ask: ({ deps }) => readAllowance(deps, { token, buyer }),
    isUnknown: isNull,
  },
  {
    what: 'balance and allowance',
    methods: ['eth_call'],
    ask: ({ deps }) => readHoldings(deps, token, buyer),
  },
  {
    what: 'the time of the next block',
    methods: ['eth_getBlockByNumber'],
    ask: ({ deps }) => nextBlockTime(deps),
  },
  {
    what: 'the code of an address',
    methods: ['eth_getCode'],
    ask: ({ url }) => codeAt({ client: rpcClient([url]), chainId: BASE }, chain.contract),
  },
  {
    what: 'the block of a deployment',
    methods: ['eth_getCode'],
    ask: ({ url }) => deploymentBlock({ client: rpcClient([url]), chainId: BASE }, chain.contract),
    isUnknown: (result) => result === undefined,
  },
  {
    what: 'the chain at a start',
    methods: ['eth_getBlockByNumber'],
    ask: ({ env }) => deploymentOf(env),
  },
  {
    what: 'the chain’s id of one of several RPCs',
    methods: ['eth_chainId'],
    ask: ({ url, env }) => new ChainIdentity(env).check(rpcClient([url]).request as never, 1),
  },
  {
    what: 'the first block of one of several RPCs',
    methods: ['eth_getBlockByNumber'],
    ask: ({ url, env }) => new ChainIdentity(env).check(rpcClient([url]).request as never, 1),
  },
  ...['eth_getLogs', 'eth_call', 'eth_getTransactionReceipt', 'eth_getBlockByNumber'].map(
    (method): Place => ({
      what: `${method} of a verification`,
      methods: [method],
      ask: (asked) => verification(asked, sale.saleId),
      isUnknown: isUnavailable,
    }),
  ),
  {
    what: 'the verification of a sale that does not exist',
    methods: ['eth_call'],
    ask: (asked) => verification(asked, '999'),
    isUnknown: isUnavailable,
  },
  ...['eth_getLogs', 'eth_getBlockByHash'].map(
    (method): Place => ({
      what: `${method} of a bundle`,
      methods: [method],
      ask: (asked) => bundle(asked, sale.saleId),
    }),
  ),
  {
    what: 'receipts of a bundle',
    methods: ['eth_getBlockReceipts', 'eth_getTransactionReceipt'],
    ask: (asked) => bundle(asked, sale.saleId),
  },
  {
    what: 'the bundle of a sale that does not exist',
    methods: ['eth_call'],
    ask: (asked) => bundle(asked, '999'),
  },
  {
    what: 'the event of a webhook',
    methods: ['eth_getLogs'],
    ask: ({ url }) =>
      checkWebhookEvent(message(), { client: rpcClient([url]), contractAddress: chain.contract }),
    isUnknown: ({ status }: { status: string }) => status === 'unknown',
  },
  {
    what: 'finalized history',
    methods: ['eth_getLogs'],
    ask: async ({ url }) => {
      const options = { rpcUrls: [url], contractAddress: chain.contract, requestsPerSecond: 0 };
      for await (const range of readRanges(options, sale.block, sale.block))
        return range.logs.length;
      return 0;
    },
  },
];

const sent = () => ({
  hash: sale.tx,
  attachedAt: new Date(0),
  origin: null,
  status: 'pending' as const,
});

const message = () => ({
  type: 'sale.recorded',
  data: {
    ...{ campaignId: '1', saleId: sale.saleId, amount: null },
    chain: {
      ...{ chainId: BASE, contractAddress: chain.contract, blockNumber: String(sale.block) },
      ...{ blockHash: sale.hash, transactionHash: sale.tx, logIndex: 0 },
    },
  },
});

const refusals: readonly (readonly [how: string, refusal: Refusal])[] = [
  ['429 as an error of JSON-RPC', { code: 429, message: 'Too Many Requests' }],
  ['-32005', { code: -32_005, message: 'daily request count exceeded, request rate limited' }],
  ['-32603, which viem takes for a revert', { code: -32_603, message: 'rate limit reached' }],
  ['-32000', { code: -32_000, message: 'upstream connect error' }],
  ['one error for a whole batch', { code: -32_005, message: 'rate limit', ofBatch: true }],
  ['HTTP 429 with a page', { status: 429, body: '<html>429 Too Many Requests</html>' }],
  ['HTTP 200 with a page', { status: 200, body: '<html>Just a moment…</html>' }],
];

const NOT_KNOWN = 'not known';

/** What a place makes of an RPC: that nothing is known, or a text with what it concluded. */
async function outcome(place: Place, refusal: Refusal | undefined): Promise<string> {
  const rpc = await startTraitRpc(chain.anvil.url);
  try {
    if (refusal !== undefined)
      rpc.behaviours = [refusing(refusal, ({ method }) => place.methods.includes(method))];
    const result = await place.ask(askedOf(rpc));
    if (place.isUnknown?.(result as never)) return NOT_KNOWN;
    return `concluded ${JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    return VERDICTS.has(name) ? `concluded ${name}` : NOT_KNOWN;
  } finally {
    await rpc.stop();
  }
}

function askedOf({ url }: TraitRpc): Asked {
  const env = chainEnv(chain, [url]);
  const deps: Pick<AppDeps, 'client' | 'strangersClient' | 'deployment' | 'clock'> = {
    client: createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 }),
    strangersClient: cancellableClient([url], 5_000),
    deployment: { ...env, genesisHash: chain.genesisHash, explorerUrl: null },
    clock: Date.now,
  };
  return { env, url, deps: deps as AppDeps };
}

const CONCURRENT = 8;

async function outcomes(refusal: Refusal | undefined): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  // A few at a time: on a busy machine, more would come too late.
  for (let i = 0; i < places.length; i += CONCURRENT) {
    const some = places.slice(i, i + CONCURRENT);
    const texts = await Promise.all(some.map((place) => outcome(place, refusal)));
    for (const [j, { what }] of some.entries()) found[what] = texts[j] ?? '';
  }
  return found;
}

describe('places that ask an RPC', () => {
  it('conclude something if it answers', async () => {
    const found = await outcomes(undefined);
    const unknown = Object.entries(found).filter(([, text]) => text === NOT_KNOWN);
    expect(unknown).toEqual([]);
  }, 60_000);

  it.each(refusals)(
    'conclude nothing from a refusal by %s',
    async (_how, refusal) => {
      const found = await outcomes(refusal);
      const concluded = Object.entries(found).filter(([, text]) => text !== NOT_KNOWN);
      expect(concluded).toEqual([]);
    },
    120_000,
  );
});
