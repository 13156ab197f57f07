import {
  type Behaviour,
  error,
  type HttpAnswer,
  instead,
  type RpcRequest,
  rangeOf,
  type Trait,
  toHex,
} from './trait.ts';

const family = 'limits';

/** Blocks that are played instead of a limit that is above what Tributary asks for. */
const SMALL = 400;

/** The words of a provider that limits the blocks of one `eth_getLogs`. */
interface RangeWords {
  readonly provider: string;
  readonly blocks: number;
  readonly code: number;
  readonly words: (range: { from: number; to: number; blocks: number }, max: number) => string;
  readonly status?: number;
}

const shown = (blocks: number) => blocks.toLocaleString('en');

/** From public issues and source code; the row of the table names some of them. */
export const RANGE_WORDS: readonly RangeWords[] = [
  {
    ...{ provider: 'Alchemy', blocks: 10, code: -32_600, status: 400 },
    words: ({ from }, max) =>
      `Under the Free tier plan, you can make eth_getLogs requests with up to a ${max} block range. Based on your parameters, this block range should work: [${toHex(from)}, ${toHex(from + max - 1)}]. Upgrade to PAYG for expanded block range.`,
  },
  {
    ...{ provider: 'Alchemy', blocks: 500, code: -32_600 },
    words: ({ from }, max) =>
      `You can make eth_getLogs requests with up to a ${max} block range. Based on your parameters, this block range should work: [${toHex(from)}, ${toHex(from + max - 1)}]`,
  },
  {
    ...{ provider: 'Infura', blocks: 10_000, code: -32_602 },
    words: ({ blocks }, max) => `range ${blocks} exceeds limit of ${max}`,
  },
  {
    ...{ provider: 'QuickNode', blocks: 10_000, code: -32_614 },
    words: (_, max) => `eth_getLogs is limited to a ${shown(max)} range`,
  },
  {
    ...{ provider: 'Ankr', blocks: 1_000, code: -32_600 },
    words: () => 'block range is too wide',
  },
  {
    ...{ provider: 'dRPC', blocks: 10_000, code: 35, status: 400 },
    words: (_, max) => `ranges over ${max} blocks are not supported on freetier`,
  },
  {
    ...{ provider: 'Chainstack', blocks: 100, code: -32_602 },
    words: () =>
      'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits',
  },
  {
    ...{ provider: 'publicnode', blocks: 50_000, code: -32_701 },
    words: (_, max) => `exceed maximum block range: ${max}`,
  },
  {
    ...{ provider: 'Cloudflare', blocks: 800, code: -32_047 },
    words: (_, max) =>
      `Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: ${max}`,
  },
  {
    ...{ provider: 'Blast', blocks: 500, code: -32_600 },
    words: ({ blocks }, max) => `exceeds the range allowed for your plan (${blocks} > ${max})`,
  },
  {
    ...{ provider: '1RPC', blocks: 50, code: -32_602 },
    words: (_, max) => `eth_getLogs is limited to 0 - ${max} blocks range`,
  },
  {
    ...{ provider: 'Coinbase', blocks: 1_000, code: -32_005 },
    words: (_, max) => `please limit the query to at most ${max} blocks`,
  },
  {
    ...{ provider: 'Avalanche', blocks: 2_000, code: -32_000 },
    words: ({ from, to }, max) =>
      `requested too many blocks from ${from} to ${to}, maximum is set to ${max}`,
  },
  {
    ...{ provider: 'Erigon', blocks: 1_000, code: -32_000 },
    words: (_, max) => `query block range exceeds server limit, narrow your filter: ${max}`,
  },
  {
    ...{ provider: 'Reth', blocks: 100_000, code: -32_602 },
    words: (_, max) => `query exceeds max block range ${max}`,
  },
  {
    ...{ provider: 'Besu', blocks: 5_000, code: -32_005 },
    words: () => 'Requested range exceeds maximum RPC range limit',
  },
  {
    ...{ provider: 'Geth of Scroll', blocks: 10_000, code: -32_000 },
    words: () => 'block range is bigger than maxBlockRange',
  },
];

/** Words of providers that limit the logs of one answer. */
export const RESULT_WORDS: readonly (readonly [string, number, string])[] = [
  ['Infura', -32_005, 'query returned more than 10000 results'],
  ['Alchemy', -32_602, 'Log response size exceeded. Please reduce query block range.'],
  ['Erigon', -32_000, 'query returns too many logs, narrow your filter: 20000'],
  ['Arbitrum', -32_000, 'logs matched by query exceeds limit of 10000'],
  ['Reth', -32_602, 'query exceeds max results 20000'],
  ['Ankr', -32_000, 'Response is too big'],
  ['1RPC', -32_000, 'response size should not greater than 10000000 bytes'],
];

/** Words that do not say if the size or the rate is too large. */
export const UNCLEAR_WORDS: readonly (readonly [string, number, string])[] = [
  ['BNB Chain', -32_005, 'limit exceeded'],
  ['Base', -32_011, 'no backend is currently healthy to serve traffic'],
];

function rangeLimit({ blocks, code, words, status }: RangeWords): () => Behaviour {
  const max = blocks < 2_000 ? blocks : SMALL;
  const refusalOf = (request: RpcRequest) => {
    const range = rangeOf(request);
    return range && range.blocks > max ? error(code, words(range, max)) : undefined;
  };
  if (status === undefined) return instead(refusalOf);
  return () => ({
    http: (requests) => {
      const [refused] = requests.filter((one) => refusalOf(one) !== undefined);
      if (refused === undefined) return undefined;
      const answers = requests.map((one) => ({
        ...{ jsonrpc: '2.0', id: one.id, ...(refusalOf(one) ?? refusalOf(refused)) },
      }));
      const body = JSON.stringify(requests.length === 1 ? answers[0] : answers);
      return { status, body, headers: { 'content-type': 'application/json' } };
    },
  });
}

/** Refuses answers with more logs than a few. */
function resultLimit(code: number, message: string): () => Behaviour {
  return () => ({
    answer: async (request, ask) => {
      const answer = await ask(request);
      const { result } = answer;
      const isTooMuch =
        Array.isArray(result) && result.length > 30 && (rangeOf(request)?.blocks ?? 0) > 1;
      return isTooMuch ? { id: request.id, ...error(code, message) } : answer;
    },
  });
}

const batchError = (status: number, code: number, message: string): HttpAnswer => ({
  status,
  body: JSON.stringify({ jsonrpc: '2.0', id: null, ...error(code, message) }),
  headers: { 'content-type': 'application/json' },
});

const noReceipts = (status: number) => (): Behaviour => ({
  http: (requests) =>
    requests.some(({ method }) => method === 'eth_getBlockReceipts')
      ? { status, body: `<html>${status}</html>`, headers: { 'content-type': 'text/html' } }
      : undefined,
});

export const limits = {
  rangeLimit: {
    family,
    does: 'refuses `eth_getLogs` of more blocks than it allows',
    seen: [
      'BobTheBuidler/dank_mids#772',
      'INFURA/infura#237',
      'AlphaWallet/alpha-wallet-android#2736',
      'erigontech/erigon#20784',
    ],
    settles: true,
    rule: 'Half as many are requested immediately, and twice as many again after 32 answers.',
    forms: Object.fromEntries(
      RANGE_WORDS.map((words) => [
        `${words.provider} ${shown(words.blocks)}: ${words.code}`,
        rangeLimit(words),
      ]),
    ),
  },
  resultLimit: {
    family,
    does: 'refuses answers with many logs, or of many bytes',
    seen: ['bancorprotocol/webapp#523', 'erigontech/erigon#19721'],
    settles: true,
    rule: 'Half as many are requested immediately, and twice as many again after 32 answers.',
    forms: Object.fromEntries(
      RESULT_WORDS.map(([provider, code, message]) => [
        `${provider}: ${code}`,
        resultLimit(code, message),
      ]),
    ),
  },
  unclearLimit: {
    family,
    does: 'does not say if it limits the size or the rate',
    seen: ['bnb-chain/bsc#1215', 'circlefin/arc-node#207'],
    settles: true,
    rule: 'Half as many blocks are requested, but not before the next tick.',
    forms: Object.fromEntries(
      UNCLEAR_WORDS.map(([provider, code, message]) => [
        `${provider}: ${code}`,
        instead((one) => ((rangeOf(one)?.blocks ?? 0) > SMALL ? error(code, message) : undefined)),
      ]),
    ),
  },
  receiptsTooLarge: {
    family,
    does: 'refuses receipts of a block that are many bytes',
    seen: ['alloy-rs/alloy#2967', 'subsquid/squid-sdk#505'],
    settles: true,
    rule: 'Receipts are requested one by one.',
    forms: {
      ...Object.fromEntries(
        (
          [
            [-32_008, 'Response is too big'],
            [-32_020, 'backend response too large'],
          ] as const
        ).map(([code, message]) => [
          String(code),
          instead(({ method }) =>
            method === 'eth_getBlockReceipts' ? error(code, message) : undefined,
          ),
        ]),
      ),
    },
  },
  batchesRefused: {
    family,
    does: 'refuses a batch of more than 3 requests, or each batch',
    seen: ['hemilabs/ui-monorepo#887', 'ethers-io/ethers.js#2749', 'NethermindEth/nethermind#5122'],
    settles: true,
    rule: 'Batches are halved until one is accepted, in the end to single requests.',
    forms: {
      'more than 3, HTTP 500': () => ({
        http: ({ length }) =>
          length > 3
            ? batchError(500, 31, 'Batch of more than 3 requests are not allowed on free tier')
            : undefined,
      }),
      'each, -32600': () => ({
        http: ({ length }) =>
          length > 1 ? batchError(200, -32_600, 'Invalid request') : undefined,
      }),
      'each, HTTP 400': () => ({
        http: ({ length }) =>
          length > 1 ? { status: 400, body: '<html>Bad Request</html>' } : undefined,
      }),
    },
  },
  batchMixed: {
    family,
    does: 'answers a batch in another order, or without one of its answers',
    seen: ['erigontech/erigon#2540', 'emeraldpay/dshackle#148'],
    settles: true,
    rule: 'Each request gets its own answer by its id; a missing one failed alone.',
    forms: {
      'another order': () => ({ batch: (answers) => answers.toReversed() }),
      'one is missing': () => {
        let count = 0;
        return { batch: (answers) => (++count % 3 > 0 ? answers : answers.slice(1)) };
      },
      'an error without an id': () => {
        let count = 0;
        const refused = { jsonrpc: '2.0', id: null, ...error(-32_000, 'try later') };
        return { batch: (all) => (++count % 3 > 0 ? all : [refused, ...all.slice(1)]) };
      },
    },
    simulated: [20, 60],
  },
  noBlockReceipts: {
    family,
    does: 'has no `eth_getBlockReceipts`',
    seen: ['paradigmxyz/cryo#93'],
    settles: true,
    rule: 'Receipts are requested one by one.',
    forms: {
      '-32601': instead(({ method }) =>
        method === 'eth_getBlockReceipts'
          ? error(-32_601, 'the method eth_getBlockReceipts does not exist')
          : undefined,
      ),
      ...Object.fromEntries(
        [400, 403, 404].map((status) => [`HTTP ${status}`, noReceipts(status)]),
      ),
    },
  },
  noWebSocket: {
    family,
    does: 'refuses a WebSocket',
    seen: ['CrocSwap/ambient-spot#1814'],
    settles: true,
    rule: 'The indexer polls, and a warning says so.',
    forms: { 'no upgrade': () => ({}) },
    simulated: [],
  },
} as const satisfies Record<string, Trait>;
