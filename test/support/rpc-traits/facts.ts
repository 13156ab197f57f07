import { changed, isBlock, type RpcRequest, type Trait } from './trait.ts';

const family = 'facts';
const SYSTEM = `0x${'5e'.repeat(32)}`;

const isReceipts = ({ method }: RpcRequest, result: unknown): result is readonly object[] =>
  method === 'eth_getBlockReceipts' && Array.isArray(result) && result.length > 0;
const isLogs = ({ method }: RpcRequest, result: unknown): result is readonly object[] =>
  method === 'eth_getLogs' && Array.isArray(result) && result.length > 0;

/** Gives the blocks of an RPC another bloom. */
const bloom = (byte: string, of: (number: number) => boolean = () => true) =>
  changed((_, result) =>
    isBlock(result) && of(Number(result.number))
      ? { ...result, logsBloom: `0x${byte.repeat(256)}` }
      : result,
  );

type Log = Readonly<Record<string, unknown>>;

/** Changes each log, wherever it comes from. */
const logs = (change: (log: Log) => Log) =>
  changed((request, result) => {
    if (isLogs(request, result)) return result.map((log) => change(log as Log));
    if (isReceipts(request, result)) return result.map((one) => withLogs(one, change));
    return request.method === 'eth_getTransactionReceipt' && result !== null
      ? withLogs(Object(result), change)
      : result;
  });

const withLogs = (receipt: object, change: (log: Log) => Log) => ({
  ...receipt,
  logs: (Object(receipt).logs as readonly Log[]).map(change),
});

/** Lets a log's index begin at 0 in its transaction. */
const perTransaction = () => {
  const first = new Map<unknown, number>();
  const renumbered = (log: Log) => {
    const start = first.get(log.transactionHash) ?? 0;
    return { ...log, logIndex: `0x${(Number(log.logIndex) - start).toString(16)}` };
  };
  return {
    answer: async (request, ask) => {
      const answer = await ask(request);
      const all = [answer.result].flat().flatMap((one) => (Object(one).logs ?? one) as Log[]);
      for (const { blockHash } of request.method.startsWith('eth_get') ? all.map(Object) : []) {
        if (typeof blockHash !== 'string' || first.has(blockHash)) continue;
        first.set(blockHash, 0);
        const params = [blockHash];
        const { result } = await ask({ id: 0, method: 'eth_getBlockReceipts', params });
        for (const receipt of Array.isArray(result) ? result : []) {
          const [log] = receipt.logs as Log[];
          if (log) first.set(log.transactionHash, Number(log.logIndex));
        }
      }
      const { answer: change } = logs(renumbered)();
      return (await change?.(request, async () => answer)) ?? answer;
    },
  } satisfies ReturnType<Trait['forms'][string]>;
};

export const facts = {
  zeroBlooms: {
    family,
    does: 'returns blocks with logs and a `logsBloom` of zeros',
    seen: ['ponder-sh/ponder#743', 'l2beat/l2beat#10113'],
    settles: true,
    rule: 'A bloom of zeros next to transactions proves nothing: receipts are read.',
    forms: { 'every block': bloom('00'), 'some blocks': bloom('00', (number) => number % 2 === 0) },
  },
  fullBlooms: {
    family,
    does: 'returns blocks with a `logsBloom` of ones',
    seen: ['ChainSafe/forest#7151'],
    settles: true,
    rule: 'A bloom of zeros next to transactions proves nothing: receipts are read.',
    forms: { ones: bloom('ff') },
  },
  receiptMissing: {
    family,
    does: 'returns fewer receipts of a block than it has transactions',
    seen: ['NethermindEth/nethermind#4179', 'celo-org/celo-blockchain#2293'],
    settles: true,
    rule: 'Missing receipts are requested one by one; those of system transactions count like others.',
    forms: {
      'one is missing': changed((request, result) =>
        isReceipts(request, result) ? result.slice(1) : result,
      ),
      none: changed((request, result) => (isReceipts(request, result) ? [] : result)),
    },
  },
  receiptExtra: {
    family,
    does: 'returns more receipts of a block than it has transactions',
    seen: ['0xPolygon/bor#1654', '0xPolygon/erigon#64'],
    settles: true,
    rule: 'Missing receipts are requested one by one; those of system transactions count like others.',
    forms: {
      'system transaction': changed((request, result) =>
        isReceipts(request, result)
          ? [...result, { ...result[0], transactionHash: SYSTEM, logs: [] }]
          : result,
      ),
    },
  },
  foreignLog: {
    family,
    does: 'returns a log whose transaction is not in the block',
    seen: ['ponder-sh/ponder#1306', 'filecoin-project/lotus#10964'],
    settles: true,
    rule: 'It is not of the contract, and changes nothing.',
    forms: {
      'of no transaction': changed((request, result) => {
        const hash = `0x${'00'.repeat(32)}`;
        const foreign = (log: object) => ({
          ...log,
          ...{ transactionHash: hash, transactionIndex: '0x0', logIndex: '0xffff' },
          ...{ address: `0x${'00'.repeat(18)}800a`, topics: [SYSTEM], data: '0x' },
        });
        if (isLogs(request, result) && Object(request.params?.[0]).address === undefined) {
          return [...result, foreign(result[0] ?? {})];
        }
        if (!isReceipts(request, result)) return result;
        const [log] = result.flatMap((one) => Object(one).logs as object[]);
        const extra = { ...result[0], transactionHash: hash, logs: log ? [foreign(log)] : [] };
        return [...result, extra];
      }),
    },
  },
  logIndexPerTransaction: {
    family,
    does: 'numbers the logs of each transaction, and not those of the block',
    seen: [
      'filecoin-project/lotus#12549',
      'erigontech/erigon#17249',
      'smartcontractkit/chainlink#7072',
    ],
    settles: false,
    says: /^Block \d+: the indexer (does not have|has what the chain does not have,) log \d+ of transaction/,
    rule: 'Logs are distinguished by their transaction. If the indexer has other numbers, settlement waits.',
    forms: { 'from 0': perTransaction },
    simulated: [],
  },
  repeatedLogs: {
    family,
    does: 'returns a log twice',
    seen: ['darwinia-network/darwinia#1649', 'filecoin-project/ref-fvm#1350'],
    settles: true,
    rule: 'Each log counts once, in the order of the chain, unless it was removed.',
    forms: {
      twice: changed((request, result) =>
        isLogs(request, result) ? result.flatMap((log) => [log, log]) : result,
      ),
    },
  },
  shuffledLogs: {
    family,
    does: 'returns logs in another order than another RPC',
    seen: ['filecoin-project/ref-fvm#1350'],
    settles: true,
    rule: 'Each log counts once, in the order of the chain, unless it was removed.',
    forms: {
      reversed: changed((request, result) =>
        isLogs(request, result) ? result.toReversed() : result,
      ),
    },
  },
  removedLogs: {
    family,
    does: 'returns a log of a replaced block with `removed: true`',
    seen: ['filecoin-project/ref-fvm#1350'],
    settles: true,
    rule: 'Each log counts once, in the order of the chain, unless it was removed.',
    forms: {
      removed: changed((request, result) =>
        isLogs(request, result)
          ? [...result, { ...result[0], logIndex: '0xfff', removed: true }]
          : result,
      ),
    },
  },
  transactionIndexOff: {
    family,
    does: 'counts `transactionIndex` from another transaction than another RPC',
    seen: ['across-protocol/relayer#3384', 'filecoin-project/lotus#10403'],
    settles: true,
    rule: 'Facts and logs are compared by the hash of the transaction.',
    forms: {
      'one more': logs((log) => ({
        ...log,
        transactionIndex: `0x${(Number(log.transactionIndex) + 1).toString(16)}`,
      })),
    },
  },
} as const satisfies Record<string, Trait>;
