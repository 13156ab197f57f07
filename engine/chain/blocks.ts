import type { PublicClient } from 'viem';
import type { Hex } from '../core/events.ts';
import type { ChainBlock } from './chain.ts';
import { nullIfNotFound } from './errors.ts';

/**
 * The canonical block at a height; `null` if the chain has none there.
 * @throws if the RPC does not answer.
 */
export async function blockAt(client: PublicClient, number: number): Promise<ChainBlock | null> {
  const block = await nullIfNotFound(client.getBlock({ blockNumber: BigInt(number) }));
  return block && toBlock(block);
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
