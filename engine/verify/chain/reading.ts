import type { PublicClient } from 'viem';
import type { Address, Hex } from '../../core/events.ts';

/** A block's header, as far as verification reads it. */
export interface BlockHeader {
  readonly number: bigint;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** What is read, where, and as of when. */
export interface Reading {
  readonly client: PublicClient;
  readonly contractAddress: Address;
  readonly saleId: string;
  /** The block from which logs are searched. */
  readonly fromBlock: bigint;
  /** The block that everything is read as of. */
  readonly head: BlockHeader;
  /** The block that may have the sale; only the order of the search depends on it. */
  readonly blockHint: bigint | undefined;
  /** Nodes that the path may have, to ask for together; only the number of requests depends on it. */
  readonly nodeHints: readonly string[];
}

/** A block's header by its height, or the newest. */
export async function readHeader(client: PublicClient, number?: bigint): Promise<BlockHeader> {
  const block = await client.getBlock(
    number === undefined ? { blockTag: 'latest' } : { blockNumber: number },
  );
  return { number: block.number, hash: block.hash, timestamp: Number(block.timestamp) };
}
