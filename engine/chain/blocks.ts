import type { PublicClient } from 'viem';
import type { Hex } from '../core/events.ts';
import type { ChainBlock } from './chain.ts';
import { isAbsent, nullIfNotFound } from './errors.ts';

/**
 * The canonical block at a height; `null` if the chain has none there.
 * @throws if the RPC does not answer.
 */
export async function blockAt(client: PublicClient, number: number): Promise<ChainBlock | null> {
  const block = await nullIfNotFound(client.getBlock({ blockNumber: BigInt(number) }));
  return block && toBlock(block);
}

/**
 * Reads from the pending block, or from the newest one if the node has no pending block.
 * @throws if the RPC does not answer: then it is not known what is pending.
 */
export async function atPendingBlock<T>(
  read: (blockTag: 'pending' | 'latest') => Promise<T>,
): Promise<T> {
  try {
    return await read('pending');
  } catch (error) {
    if (isAbsent(error)) return await read('latest');
    throw error;
  }
}

/** A block as viem returns it, in the form of this project. @throws if it is pending. */
export function toBlock(block: {
  readonly number: bigint | null;
  readonly hash: Hex | null;
  readonly timestamp: bigint;
}): ChainBlock {
  if (block.number === null || block.hash === null) {
    throw new Error('the RPC returned a pending block instead of a mined one');
  }
  return { number: Number(block.number), hash: block.hash, timestamp: Number(block.timestamp) };
}
