import { HttpRequestError, type PublicClient } from 'viem';
import type { Hex } from '../core/events.ts';
import type { Chain, ChainBlock, ProvenBlock } from './chain.ts';
import { agree, firstAnswers, RpcDisagreementError } from './quorum.ts';
import { rpcClient } from './rpc-client.ts';
import { getLogs, getProvenBlock, isUnanswered, type LogFilter } from './rpc-logs.ts';

/** Anvil's chain id, whose `safe` and `finalized` tags do not move (design §5, Finality). */
const LOCAL_CHAIN_ID = 31_337;

/** Milliseconds an RPC may take to answer. */
const RPC_TIMEOUT_MS = 5_000;

/** Blocks that one `eth_getLogs` asks for at most; fewer where an RPC refuses that many. */
const RANGE_MOST = 2_000;

/** Blocks that are asked for with their receipts at once; fewer where that is too much for an RPC. */
const PROVEN_MOST = 16;

/** Blocks behind the head whose headers are asked for: reorgs, caches and lags live there. */
const PROVEN_DEPTH = 128;

export interface RpcChainOptions {
  readonly chainId: number;
  readonly rpcUrls: readonly string[];
  readonly contractAddress: Hex;
  readonly startBlock: number;
  /** First topics of the events that the indexer keeps. */
  readonly eventSelectors: readonly Hex[];
  /** So many RPCs must give the same answer; default 1: they are tried in turn. */
  readonly rpcQuorum?: number;
  /** Whose headers are checked: those near the head (default), or all since the first. */
  readonly checkBlooms?: 'near' | 'all';
}

/** The chain as settlement asks it, over one or several RPC URLs; opens nothing until asked. */
export function chainFromRpc(options: RpcChainOptions): Chain {
  const { chainId, startBlock, rpcQuorum: quorum = 1 } = options;
  const voters = votersOf(options.rpcUrls, quorum);
  const filter: LogFilter = {
    // Lower case stays hex.
    contractAddress: options.contractAddress.toLowerCase() as Hex,
    eventSelectors: new Set(options.eventSelectors),
  };

  async function finality(): ReturnType<Chain['finality']> {
    const answers = await firstAnswers(voters, quorum, async (client) => {
      const [safe, finalized] = await Promise.all([
        tagged(client, chainId, 'safe'),
        tagged(client, chainId, 'finalized'),
      ]);
      return { safe, finalized };
    });
    return {
      safe: lowest(answers.map(({ safe }) => safe)),
      finalized: lowest(answers.map(({ finalized }) => finalized)),
    };
  }

  const provenOrNull = inParts(PROVEN_MOST, (from, to) =>
    Promise.all(
      Array.from({ length: to - from + 1 }, (_, i) =>
        agree(voters, quorum, `block ${from + i} and its receipts`, (client) =>
          getProvenBlock(client, filter, from + i),
        ),
      ),
    ),
  );

  return {
    chainId,
    startBlock,
    provenDepth: options.checkBlooms === 'all' ? Number.POSITIVE_INFINITY : PROVEN_DEPTH,
    head: async () => {
      const heads = await firstAnswers(voters, quorum, async (client) => {
        const block = await client.getBlock({ blockTag: 'latest' });
        return { ...toBlock(block), parentHash: block.parentHash };
      });
      return heads.reduce((low, one) => (one.number < low.number ? one : low));
    },
    blockAt: (number) =>
      agree(voters, quorum, `block ${number}`, (client) => blockAt(client, number)),
    finality,
    logsOf: inParts(RANGE_MOST, (from, to) =>
      agree(voters, quorum, `the logs of blocks ${from} to ${to}`, (client) =>
        getLogs(client, filter, from, to),
      ),
    ),
    provenBlocks: async (from, to) => {
      const blocks = await provenOrNull(from, to);
      const end = blocks.indexOf(null);
      return blocks.slice(0, end < 0 ? blocks.length : end).filter(isBlock);
    },
  };
}

/** One voter for all RPCs where one answer is enough, so that they stand in for each other. */
function votersOf(urls: readonly string[], quorum: number): readonly PublicClient[] {
  const distinct = [...new Set(urls)];
  const groups = quorum === 1 ? [distinct] : distinct.map((url) => [url]);
  return groups.map((group) => rpcClient(group, { timeoutMs: RPC_TIMEOUT_MS }));
}

/**
 * Asks for what a range of blocks holds in parts, which shrink where an RPC does not answer for so
 * many, and grow back.
 * @param most blocks of a part.
 */
function inParts<T>(
  most: number,
  ask: (from: number, to: number) => Promise<readonly T[]>,
): (from: number, to: number) => Promise<readonly T[]> {
  let size = most;
  return async (from, to) => {
    const found: T[] = [];
    for (let at = from; at <= to; ) {
      const end = Math.min(to, at + size - 1);
      try {
        found.push(...(await ask(at, end)));
      } catch (error) {
        if (end === at || !isOfSize(error)) throw error;
        size = Math.ceil((end - at + 1) / 2);
        continue;
      }
      at = end + 1;
      size = Math.min(most, size * 2);
    }
    return found;
  };
}

/** Whether a smaller range may be answered: not where the RPC is away or counts requests. */
function isOfSize(error: unknown): boolean {
  if (error instanceof RpcDisagreementError) return false;
  if (error instanceof HttpRequestError) return error.status === 400 || error.status === 413;
  return true;
}

async function blockAt(client: PublicClient, number: number): Promise<ChainBlock | null> {
  try {
    return toBlock(await client.getBlock({ blockNumber: BigInt(number) }));
  } catch (error) {
    if (error instanceof Error && error.name === 'BlockNotFoundError') return null;
    throw error;
  }
}

async function tagged(
  client: PublicClient,
  chainId: number,
  blockTag: 'safe' | 'finalized',
): Promise<number | null> {
  if (chainId === LOCAL_CHAIN_ID) return null;
  try {
    return Number((await client.getBlock({ blockTag })).number);
  } catch (error) {
    // Not every chain knows these tags. An RPC that did not answer has not said so.
    if (isUnanswered(error)) throw error;
    return null;
  }
}

function lowest(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((low, one) => (low === null || one === null ? null : Math.min(low, one)));
}

function isBlock(block: ProvenBlock | null): block is ProvenBlock {
  return block !== null;
}

function toBlock(block: {
  readonly number: bigint | null;
  readonly hash: Hex | null;
  readonly timestamp: bigint;
}): ChainBlock {
  if (block.number === null || block.hash === null) {
    throw new Error('the RPC answered a pending block where a mined one was asked for');
  }
  return {
    number: Number(block.number),
    hash: block.hash,
    timestamp: Number(block.timestamp),
  };
}
