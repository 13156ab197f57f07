import { type Hex, keccak256 } from 'viem';
import {
  type Ask,
  type Behaviour,
  changed,
  error,
  headOf,
  instead,
  isBlock,
  isTag,
  type RpcAnswer,
  type RpcRequest,
  rangeOf,
  type Trait,
  toHex,
} from './trait.ts';

const family = 'absences';

/** Blocks that a node behind a balancer is behind. */
const LAG = 5;
/** Newest blocks that are of a dead fork. */
const FORK = 20;

const isReceipt = ({ method }: RpcRequest) =>
  method === 'eth_getBlockReceipts' || method === 'eth_getTransactionReceipt';

/** An RPC without the first half of the history. */
function withoutOld(
  answerOf: (request: RpcRequest, first: number, ask: Ask) => Promise<object | undefined>,
): () => Behaviour {
  return () => ({
    answer: async (request, ask) => {
      const first = Math.floor((await headOf(ask)) / 2);
      const answer = await answerOf(request, first, ask);
      return answer === undefined ? await ask(request) : { id: request.id, ...answer };
    },
  });
}

/** True for a request for receipts of a block below another one. */
async function isOfOld(request: RpcRequest, first: number, ask: Ask): Promise<boolean> {
  if (!isReceipt(request)) return false;
  const [result] = [(await ask(request)).result].flat();
  return Number(Object(result).blockNumber ?? first) < first;
}

/** Removes old logs from an answer. */
async function newLogs(request: RpcRequest, first: number, ask: Ask): Promise<object | undefined> {
  const range = rangeOf(request);
  if (range === undefined || range.from >= first) return undefined;
  const { result } = await ask(request);
  const logs = (Array.isArray(result) ? result : []) as { blockNumber: Hex }[];
  return { result: logs.filter(({ blockNumber }) => Number(blockNumber) >= first) };
}

/** An answer as of a node whose newest block is another one. */
async function asOf(head: number, request: RpcRequest, ask: Ask): Promise<RpcAnswer> {
  const { id, method, params: [first, ...rest] = [] } = request;
  if (method === 'eth_blockNumber') return { id, result: toHex(head) };
  if (method === 'eth_getBlockByNumber') {
    if (first === 'latest') return await ask({ ...request, params: [toHex(head), ...rest] });
    return Number(first) > head ? { id, result: null } : await ask(request);
  }
  const range = rangeOf(request);
  if (range === undefined) return hideAbove(head, await ask(request));
  if (range.from > head) return { id, result: [] };
  const filter = { ...Object(first), toBlock: toHex(Math.min(head, range.to)) };
  return await ask({ ...request, params: [filter] });
}

/** Answers `null` in place of what is above a block. */
function hideAbove(head: number, answer: RpcAnswer): RpcAnswer {
  const [first] = [answer.result].flat();
  const number = Object(first).number ?? Object(first).blockNumber;
  if (typeof number !== 'string' || Number(number) <= head) return answer;
  return Array.isArray(answer.result)
    ? { id: answer.id, ...error(-32_000, 'unknown block') }
    : { id: answer.id, result: null };
}

/** Gives the newest blocks other hashes, wherever they are named. */
function onOtherFork(result: unknown, from: number): unknown {
  if (Array.isArray(result)) return result.map((one) => onOtherFork(one, from));
  const { blockNumber, blockHash, logs } = Object(result);
  if (isBlock(result)) {
    const number = Number(result.number);
    const { parentHash } = Object(result);
    return {
      ...result,
      hash: number < from ? result.hash : keccak256(result.hash),
      parentHash: number <= from ? parentHash : keccak256(parentHash),
    };
  }
  if (typeof blockHash !== 'string' || Number(blockNumber) < from) return result;
  return {
    ...Object(result),
    ...{ blockHash: keccak256(blockHash as Hex) },
    ...(Array.isArray(logs) ? { logs: onOtherFork(logs, from) } : {}),
  };
}

export const absences = {
  nullBlocks: {
    family,
    does: 'answers `null` for a block that exists',
    seen: ['streamingfast/firehose-ethereum#198', 'shutter-network/rolling-shutter#459'],
    settles: false,
    says: /^The blockchain node does not have block \d+/,
    rule: 'A block below the newest one is not taken for absent, and no receipts prove nothing.',
    forms: {
      'below the newest': () => ({
        answer: async (request, ask) => {
          const { method, params: [number] = [] } = request;
          const isByNumber = method === 'eth_getBlockByNumber' && String(number).startsWith('0x');
          return isByNumber && Number(number) > 1
            ? { id: request.id, result: null }
            : await ask(request);
        },
      }),
    },
    simulated: [30],
  },
  nullReceipts: {
    family,
    does: 'answers `null` for receipts that exist',
    seen: ['berachain/beacon-kit#2804', 'erigontech/erigon#6011'],
    settles: false,
    says: /^The blockchain node has block 0x[0-9a-f]+, but none of its receipts/,
    rule: 'A block below the newest one is not taken for absent, and no receipts prove nothing.',
    forms: { null: instead((request) => (isReceipt(request) ? { result: null } : undefined)) },
    simulated: [50],
  },
  emptyLogs: {
    family,
    does: 'answers `[]` to `eth_getLogs` for logs that exist',
    seen: ['enviodev/hyperindex#1498', 'boundless-xyz/boundless#1538'],
    settles: false,
    says: /^The blockchain node has logs in block \d+ that it leaves out of eth_getLogs/,
    rule: 'Newer blocks are read by receipts. Of older ones it must show a log that a receipt has.',
    forms: {
      '[]': changed(({ method }, result) => (method === 'eth_getLogs' ? [] : result)),
    },
  },
  oldHistoryAway: {
    family,
    does: 'has pruned old receipts, and answers `null` and `[]`',
    seen: ['flashbots/rpc-endpoint#194', 'paradigmxyz/reth#27002', 'paradigmxyz/reth#21122'],
    settles: false,
    says: /^The blockchain node has block 0x[0-9a-f]+, but none of its receipts/,
    rule: 'Newer blocks are read by receipts. Of older ones it must show a log that a receipt has.',
    forms: {
      'null and []': withoutOld(async (request, first, ask) =>
        (await isOfOld(request, first, ask))
          ? { result: null }
          : await newLogs(request, first, ask),
      ),
    },
  },
  oldLogsAway: {
    family,
    does: 'has pruned the index of old logs, and answers `[]`, but has their receipts',
    seen: ['erigontech/erigon#16042', 'erigontech/erigon#23322'],
    settles: false,
    says: /^The blockchain node has logs in block \d+ that it leaves out of eth_getLogs/,
    rule: 'Newer blocks are read by receipts. Of older ones it must show a log that a receipt has.',
    forms: { '[]': withoutOld(newLogs) },
  },
  oldHistoryRefused: {
    family,
    does: 'refuses old history',
    seen: ['ethereum-optimism/optimism#21587', 'bnb-chain/bsc#2179'],
    settles: false,
    says: /^The blockchain node (refused \(code 4444\)|does not have block)/,
    rule: 'Settlement waits; the first block may be pruned if START_BLOCK is there.',
    forms: {
      '4444': withoutOld(async (request, first, ask) => {
        const range = rangeOf(request);
        const isOld = range ? range.from < first : await isOfOld(request, first, ask);
        return isOld ? error(4444, 'pruned history unavailable') : undefined;
      }),
    },
  },
  prunedGenesis: {
    family,
    does: 'has pruned the first block',
    seen: ['ethereum-optimism/optimism#21587'],
    settles: true,
    rule: 'The chain is known by the block START_BLOCK.',
    forms: {
      '4444': instead(({ method, params: [number] = [] }) =>
        method === 'eth_getBlockByNumber' && number === '0x0'
          ? error(4444, 'pruned history unavailable')
          : undefined,
      ),
    },
  },
  noTags: {
    family,
    does: 'does not have the tags `safe` and `finalized`',
    seen: ['ethereum/execution-apis#879', 'rsksmart/rskj#3309'],
    settles: true,
    rule: 'The finality of the indexer counts, until a tag was seen once.',
    forms: Object.fromEntries(
      (
        [
          ['null', { result: null }],
          ['-39001', error(-39_001, 'unknown block')],
          ['-32000', error(-32_000, 'finalized block not found')],
          ['-32602', error(-32_602, 'invalid argument 0: hex string without 0x prefix')],
        ] as const
      ).map(([name, answer]) => [name, instead((one) => (isTag(one) ? answer : undefined))]),
    ),
    simulated: [30],
  },
  lagging: {
    family,
    does: 'has nodes behind a balancer that are 5 blocks apart',
    seen: ['ethereum/go-ethereum#27353', 'ethereum/go-ethereum#24078', 'trezor/blockbook#1530'],
    settles: true,
    rule: 'A lower newest block moves nothing back, and logs are read by the hash of a block.',
    forms: {
      'half of the requests': () => {
        let seed = 1;
        return {
          answer: async (request, ask) => {
            seed = (seed * 16_807) % 2_147_483_647;
            if (seed % 2 === 0) return await ask(request);
            return await asOf((await headOf(ask)) - LAG, request, ask);
          },
        };
      },
    },
  },
  deadFork: {
    family,
    does: 'is on a fork that the chain has left',
    seen: ['graphprotocol/graph-node#5586'],
    settles: false,
    says: /that the chain has replaced|does not have block/,
    rule: 'No block of it becomes final, and what was final stays; RPC_QUORUM outvotes it.',
    forms: {
      'the newest 20 blocks': () => {
        let from: number | undefined;
        return {
          answer: async (request, ask) => {
            from ??= (await headOf(ask)) - FORK;
            const answer = await ask(request);
            return { ...answer, result: onOtherFork(answer.result, from) };
          },
        };
      },
    },
    simulated: [],
  },
  syncing: {
    family,
    does: 'is still syncing, with a low newest block',
    seen: ['ponder-sh/ponder#2221', 'harmony-one/harmony#3954'],
    settles: false,
    says: /^The blockchain node is behind: its newest block is \d+/,
    rule: 'What is settled stays, and settlement waits.',
    forms: {
      'half of the chain': () => ({
        answer: async (request, ask) =>
          await asOf(Math.floor((await headOf(ask)) / 2), request, ask),
      }),
    },
    simulated: [100],
  },
} as const satisfies Record<string, Trait>;
