import type { PublicClient } from 'viem';
import type { Hex } from '../core/events.ts';
import { blockAt, toBlock } from './blocks.ts';
import type { Chain, ChainBlock, LogLocation, ProvenBlock } from './chain.ts';
import { rpcClient } from './client.ts';
import { IncompleteAnswerError, isAbsent, isTimeout } from './errors.ts';
import { type ChainIdentity, type IdentifiedBy, identityOf } from './identity.ts';
import { inParts, refusalOfBurst, refusalOfRange } from './in-parts.ts';
import {
  getHeader,
  getLogs,
  getProvenBlock,
  type Header,
  type LogFilter,
  logsBehind,
  requireHistory,
} from './logs.ts';
import { Patience } from './patience.ts';
import { agree, firstAnswers } from './quorum.ts';
import { rpcWatch } from './rpc-watch.ts';
import { storageRootReader } from './storage-root.ts';

/** Anvil's chain id: its `safe` and `finalized` tags do not move. */
export const LOCAL_CHAIN_ID = 31_337;

/** `restMs`: finality moves every few minutes on most chains, and each request costs money. */
const REST_MS = 20_000;
/** `restMs` of a local chain: it costs nothing, and can go back without a new block (`evm_revert`). */
const LOCAL_REST_MS = 1_000;

/** Milliseconds that an RPC may take to answer a request. */
const RPC_TIMEOUT_MS = 5_000;

/**
 * Blocks and logs of one `eth_getLogs`; fewer if an RPC refuses that many. The first blocks are few: an RPC that is too
 * slow for them may go on with its work after the request was cancelled. So many logs are some 14 MB of sales.
 */
const LOGS = { maxBlocks: 2_000, firstBlocks: 32, manyFound: 10_000 };

/** Blocks requested concurrently with their receipts; fewer if an RPC refuses that many. */
const PROVEN = { maxBlocks: 16, firstBlocks: 16, manyFound: Number.POSITIVE_INFINITY };

/** Blocks behind the head that are checked by header and receipts: reorgs and lagging caches are there. */
const PROVEN_DEPTH = 128;

/** Milliseconds for which an RPC that has shown an old log is believed to have the later ones: it prunes slowly. */
const SHOWN_MS = 600_000;

/** Which chain and contract settlement reads, and through which RPCs. */
export interface RpcChainOptions extends IdentifiedBy {
  readonly rpcUrls: readonly string[];
  readonly contractAddress: Hex;
  /** First topics of the events that the indexer stores. */
  readonly eventSelectors: readonly Hex[];
  /** Number of RPCs that must give the same answer; default 1: they are tried in turn. */
  readonly rpcQuorum?: number;
  /** Which blocks are checked by header: those near the head (default), or all since the first. */
  readonly checkBlooms?: 'near' | 'all';
  /** Blocks behind the newest after which a block counts as final; default: the chain's tags say it. */
  readonly finalityBlocks?: number;
  /** Milliseconds that an RPC may take to answer a request; default 5 s. */
  readonly timeoutMs?: number;
}

/** The chain over one or several RPC URLs. It opens no connection until it is used. */
export function chainFromRpc(options: RpcChainOptions): Chain {
  const { chainId, startBlock, rpcQuorum: quorum = 1, finalityBlocks } = options;
  const distinct = [...new Set(options.rpcUrls)];
  const identity = identityOf(distinct, options);
  const timeoutMs = options.timeoutMs ?? RPC_TIMEOUT_MS;
  const patience = new Patience(timeoutMs);
  const { voters, readers } = clientsOf(distinct, quorum, { identity, timeoutMs, patience });
  const filter: LogFilter = {
    // TypeScript does not know that lower case stays hex.
    contractAddress: options.contractAddress.toLowerCase() as Hex,
    eventSelectors: new Set(options.eventSelectors),
  };

  const agreedBy =
    (asked: readonly PublicClient[]) =>
    <T>(what: string, ask: (client: PublicClient) => Promise<T>) =>
      agree(asked, quorum, what, ask, (disagreeing) => {
        for (const index of disagreeing) rpcWatch.disagreed(index + 1, what);
      });
  const agreed = agreedBy(voters);
  const read = agreedBy(readers);
  const readLogs = inParts(LOGS, patience, refusalOfRange, (from, to) =>
    read(`the logs of blocks ${from} to ${to}`, (client) => getLogs(client, filter, from, to)),
  );
  const provenOrNull = inParts(PROVEN, patience, refusalOfBurst, (from, to) =>
    Promise.all(
      Array.from({ length: to - from + 1 }, (_, i) =>
        read(`block ${from + i} and its receipts`, (client) =>
          getProvenBlock(client, filter, from + i, from === to),
        ),
      ),
    ),
  );

  const storageRoot = storageRootReader(agreed, filter.contractAddress);

  /** A request that cannot ask for less. */
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      if (isTimeout(error)) patience.grow();
      throw error;
    }
  };
  const logsOfHead = (header: Header) =>
    patiently(() =>
      read(`the receipts of block ${header.number}`, (client) =>
        logsBehind(client, filter, header),
      ),
    );

  /** The block from which the RPCs have shown their history, and when. */
  let shown = { from: Number.POSITIVE_INFINITY, at: 0 };

  return {
    chainId,
    startBlock,
    ...(options.checkBlooms === 'all' ? {} : { storageRoot }),
    provenDepth: options.checkBlooms === 'all' ? Number.POSITIVE_INFINITY : PROVEN_DEPTH,
    restMs: chainId === LOCAL_CHAIN_ID ? LOCAL_REST_MS : REST_MS,
    head: () => lowestHead(voters, quorum, logsOfHead),
    blockAt: (number) => agreed(`block ${number}`, (client) => blockAt(client, number)),
    finality: () =>
      finalityBlocks === undefined
        ? lowestFinality(voters, quorum, chainId)
        : finalityBehind(voters, quorum, finalityBlocks),
    leftOut: () => identity?.leftOut ?? [],
    logsOf: async (from, to) => {
      const { to: last, found } = await readLogs(from, to);
      const isShown = from >= shown.from && Date.now() - shown.at < SHOWN_MS;
      if (!isShown && found[0]?.blockNumber !== from) {
        await patiently(() =>
          firstAnswers(readers, quorum, (client) => requireHistory(client, filter, from, last)),
        );
        shown = { from, at: Date.now() };
      }
      return { to: last, logs: found };
    },
    provenBlocks: async (from, to) => {
      const { found: blocks } = await provenOrNull(from, to);
      const end = blocks.indexOf(null);
      return blocks.slice(0, end < 0 ? blocks.length : end).filter(isBlock);
    },
  };
}

/** The lowest newest block of the RPCs. */
async function lowestHead(
  voters: readonly PublicClient[],
  quorum: number,
  logsOf: (header: Header) => Promise<readonly LogLocation[]>,
): ReturnType<Chain['head']> {
  const heads = await firstAnswers(voters, quorum, async (client) => {
    const header = await getHeader(client, 'latest');
    if (header === null) throw new IncompleteAnswerError('has no newest block');
    const { number, hash, timestamp, parentHash } = header;
    const block = { number, hash, timestamp, parentHash };
    return quorum === 1 ? { ...block, readLogs: () => logsOf(header) } : block;
  });
  return heads.reduce((low, one) => (one.number < low.number ? one : low));
}

/** The lowest safe and finalized blocks of the RPCs. */
async function lowestFinality(
  voters: readonly PublicClient[],
  quorum: number,
  chainId: number,
): ReturnType<Chain['finality']> {
  const answers = await firstAnswers(voters, quorum, async (client) => {
    const [safe, finalized] = await Promise.all([
      tagged(client, chainId, 'safe'),
      tagged(client, chainId, 'finalized'),
    ]);
    return { safe, finalized };
  });
  const [only] = answers;
  return {
    safe: lowest(answers.map(({ safe }) => safe?.number ?? null)),
    finalized: lowest(answers.map(({ finalized }) => finalized?.number ?? null)),
    finalizedHash: quorum === 1 ? only?.finalized?.hash : undefined,
  };
}

/** Finality by depth: all blocks that the lowest newest block of the RPCs has so many blocks after. */
async function finalityBehind(
  voters: readonly PublicClient[],
  quorum: number,
  blocks: number,
): ReturnType<Chain['finality']> {
  const heads = await firstAnswers(voters, quorum, async (client) =>
    toBlock(await client.getBlock()),
  );
  const number = Math.min(...heads.map((head) => head.number)) - blocks;
  const final = number < 0 ? null : number;
  return { safe: final, finalized: final };
}

/** Clients that ask the same RPCs. */
interface Clients {
  /** Each request has the time limit. */
  readonly voters: readonly PublicClient[];
  /** For large responses, which may take longer while bytes arrive. */
  readonly readers: readonly PublicClient[];
}

/** One client per RPC; a single one that tries all RPCs in turn if one answer is enough. */
function clientsOf(
  distinct: readonly string[],
  quorum: number,
  {
    identity,
    timeoutMs,
    patience,
  }: {
    readonly identity: ChainIdentity | undefined;
    readonly timeoutMs: number;
    readonly patience: Patience;
  },
): Clients {
  const groups = quorum === 1 ? [distinct] : distinct.map((url) => [url]);
  const clients = groups.map((group, i) => {
    const own = { first: i + 1, identity };
    return {
      voter: rpcClient(group, { ...own, timeoutMs, deadlineMs: timeoutMs * group.length }),
      reader: rpcClient(group, { ...own, patience }),
    };
  });
  return {
    voters: clients.map(({ voter }) => voter),
    readers: clients.map(({ reader }) => reader),
  };
}

async function tagged(
  client: PublicClient,
  chainId: number,
  blockTag: 'safe' | 'finalized',
): Promise<ChainBlock | null> {
  if (chainId === LOCAL_CHAIN_ID) return null;
  try {
    return toBlock(await client.getBlock({ blockTag }));
  } catch (error) {
    // Not every chain has these tags; a refusal says nothing about that.
    if (isAbsent(error)) return null;
    throw error;
  }
}

function lowest(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((low, one) => (low === null || one === null ? null : Math.min(low, one)));
}

function isBlock(block: ProvenBlock | null): block is ProvenBlock {
  return block !== null;
}
