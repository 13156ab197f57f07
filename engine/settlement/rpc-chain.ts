import { BaseError, HttpRequestError, TimeoutError } from 'viem';
import type { Hex } from '../core/events.ts';
import type { Chain, ChainBlock } from './chain.ts';
import { rpcClient } from './rpc-client.ts';

/** Anvil's chain id, whose `safe` and `finalized` tags do not move (design §5, Finality). */
const LOCAL_CHAIN_ID = 31_337;

/** Milliseconds an RPC may take to answer. */
const RPC_TIMEOUT_MS = 5_000;

/** The chain as settlement asks it, over one or several RPC URLs; opens nothing until asked. */
export function chainFromRpc(chainId: number, urls: readonly string[]): Chain {
  const client = rpcClient(urls, { timeoutMs: RPC_TIMEOUT_MS });

  async function blockAt(number: number): Promise<ChainBlock | null> {
    try {
      return toBlock(await client.getBlock({ blockNumber: BigInt(number) }));
    } catch (error) {
      if (error instanceof Error && error.name === 'BlockNotFoundError') return null;
      throw error;
    }
  }

  async function tagged(blockTag: 'safe' | 'finalized'): Promise<number | null> {
    if (chainId === LOCAL_CHAIN_ID) return null;
    try {
      return Number((await client.getBlock({ blockTag })).number);
    } catch (error) {
      // Not every chain knows these tags. An RPC that did not answer has not said so.
      if (isUnanswered(error)) throw error;
      return null;
    }
  }

  return {
    chainId,
    head: async () => toBlock(await client.getBlock({ blockTag: 'latest' })),
    blockAt,
    finality: async () => {
      const [safe, finalized] = await Promise.all([tagged('safe'), tagged('finalized')]);
      return { safe, finalized };
    },
  };
}

function isUnanswered(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const cause = error.walk((one) => one instanceof HttpRequestError || one instanceof TimeoutError);
  return cause !== null;
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
