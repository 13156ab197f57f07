import type { PublicClient } from 'viem';
import type { Address, Hex } from '../../core/events.ts';

/** The fields of a block's header that verification reads. */
export interface BlockHeader {
  readonly number: bigint;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** The sale that is read, from which contract, and as of which block. */
export interface ReadContext {
  readonly client: PublicClient;
  readonly contractAddress: Address;
  readonly saleId: string;
  /** The first block to search for logs. */
  readonly fromBlock: bigint;
  /** The block that everything is read as of. */
  readonly head: BlockHeader;
  /** The RPC's newest block, up to which later events are searched; `head` or after it. */
  readonly newest: BlockHeader;
  /** The block that may have the sale; only the order of the search depends on it. */
  readonly blockHint: bigint | undefined;
  /** Nodes that the path may have, to request together; only the number of requests depends on it. */
  readonly nodeHints: readonly string[];
}

/** Reads a block's header by its number, or the newest. */
export async function readHeader(client: PublicClient, number?: bigint): Promise<BlockHeader> {
  const block = await client.getBlock(
    number === undefined ? { blockTag: 'latest' } : { blockNumber: number },
  );
  return { number: block.number, hash: block.hash, timestamp: Number(block.timestamp) };
}
