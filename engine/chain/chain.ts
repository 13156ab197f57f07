import type { Hex } from '../core/events.ts';

/** A mined block: its height, hash and time. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** The newest block. If its parent is the checked block, that one need not be requested. */
export interface ChainHead extends ChainBlock {
  readonly parentHash?: Hex;
  /** The contract's logs in it, if its header and receipts were requested. */
  readonly logs?: readonly LogLocation[];
  /** Reads these logs without requesting the header again, if one RPC's answer is enough. */
  readonly readLogs?: () => Promise<readonly LogLocation[]>;
}

/** Location of one of the contract's logs on the chain: all that a fact is compared by. */
export interface LogLocation {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

/** The contract's logs up to a block, in order. */
export interface LogRange {
  /** The last block whose logs are here. */
  readonly to: number;
  readonly logs: readonly LogLocation[];
}

/** A block with all of the contract's logs in it, read from its header and receipts. */
export interface ProvenBlock extends ChainBlock {
  readonly parentHash: Hex;
  readonly logs: readonly LogLocation[];
}

/** Heights of the chain's `safe` and `finalized` tags; `null` if it does not have them. */
export interface ChainTags {
  readonly safe: number | null;
  readonly finalized: number | null;
  /** Hash of the finalized block, if one RPC's answer is enough. */
  readonly finalizedHash?: Hex | undefined;
}

/** The chain as settlement reads it; `chainFromRpc` makes it from RPC URLs. */
export interface Chain {
  readonly chainId: number;
  /** The block that deployed the contract, or one before it: the contract has no log below. */
  readonly startBlock: number;
  /** Blocks behind the head that are checked by `provenBlocks`; older ones are checked by `logsOf`. */
  readonly provenDepth: number;
  /** Milliseconds between two requests for the newest block and the tags while nothing is wrong. */
  readonly restMs: number;
  /** The newest block, with the hash of its parent. */
  head(): Promise<ChainHead>;
  /** The canonical block at a height; `null` above the head. */
  blockAt(number: number): Promise<ChainBlock | null>;
  /**
   * Reads the chain's own finality.
   * @throws if the chain does not answer, which says nothing about its tags.
   */
  finality(): Promise<ChainTags>;
  /**
   * Root of the contract's storage as of a block; `null` if it is not known. Without the method, every new block is checked
   * by its header.
   */
  storageRoot?(blockHash: Hex): Promise<Hex | null>;
  /** Sentences about RPCs that are not asked, because they are of another chain; without it there are none. */
  leftOut?(): readonly string[];
  /**
   * The contract's logs in a range of blocks, both ends included; by `eth_getLogs`.
   * @returns those of the first blocks only if they are many, or if the RPC is slow or failed after them.
   */
  logsOf(from: number, to: number): Promise<LogRange>;
  /**
   * The blocks of a range, both ends included, with the contract's logs; without `eth_getLogs`.
   * @returns fewer blocks if the head is below `to`, or if the RPC is slow or failed after it had answered for them.
   */
  provenBlocks(from: number, to: number): Promise<readonly ProvenBlock[]>;
}
