import { HttpRequestError, type PublicClient } from 'viem';
import type { Hex } from '../core/events.ts';
import type { Chain, ChainBlock, ChainLog, ProvenBlock } from './chain.ts';
import { agree, firstAnswers, RpcDisagreementError } from './quorum.ts';
import { rpcClient } from './rpc-client.ts';
import { getLogs, getProvenBlock, isUnanswered, type LogFilter } from './rpc-logs.ts';

/** Anvil's chain id, whose `safe` and `finalized` tags do not move (design §5, Finality). */
const LOCAL_CHAIN_ID = 31_337;

/** Milliseconds an RPC may take to answer. */
const RPC_TIMEOUT_MS = 5_000;

/** Blocks that one `eth_getLogs` asks for at most; fewer where an RPC refuses that many. */
const RANGE_MOST = 2_000;

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
    logsOf: inRanges((from, to) =>
      agree(voters, quorum, `the logs of blocks ${from} to ${to}`, (client) =>
        getLogs(client, filter, from, to),
      ),
    ),
    provenBlocks: async (from, to) => {
      const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      const blocks = await Promise.all(
        numbers.map((number) =>
          agree(voters, quorum, `block ${number} and its receipts`, (client) =>
            getProvenBlock(client, filter, number),
          ),
        ),
      );
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

/** Asks for a range in parts, which shrink where an RPC refuses their size and grow back. */
function inRanges(ask: Chain['logsOf']): Chain['logsOf'] {
  let size = RANGE_MOST;
  return async (from, to) => {
    const logs: ChainLog[] = [];
    for (let at = from; at <= to; ) {
      const end = Math.min(to, at + size - 1);
      try {
        logs.push(...(await ask(at, end)));
      } catch (error) {
        if (end === at || !isOfSize(error)) throw error;
        size = Math.ceil((end - at + 1) / 2);
        continue;
      }
      at = end + 1;
      size = Math.min(RANGE_MOST, size * 2);
    }
    return logs;
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
