import type { Hex } from '../core/events.ts';

/** A block as settlement needs it. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** The newest block: where it follows the checked one, that one need not be asked for. */
export interface ChainHead extends ChainBlock {
  readonly parentHash?: Hex;
}

/** Where a log of the contract stands: all that a fact is compared by. */
export interface ChainLog {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

/** A block with all of the contract's logs in it, as its own header and receipts prove them. */
export interface ProvenBlock extends ChainBlock {
  readonly parentHash: Hex;
  readonly logs: readonly ChainLog[];
}

/** What settlement asks the chain itself; the entry point makes it from an RPC. */
export interface Chain {
  readonly chainId: number;
  /** The block that deployed the contract, or one before it: the contract has no log below. */
  readonly startBlock: number;
  /** So many blocks behind the head are checked by `provenBlocks`, and older ones by `logsOf`. */
  readonly provenDepth: number;
  /** The newest block, and the one before it by its hash. */
  head(): Promise<ChainHead>;
  /** The canonical block at a height; `null` above the head. */
  blockAt(number: number): Promise<ChainBlock | null>;
  /**
   * Numbers of the chain's `safe` and `finalized` tags; `null` where it does not have them.
   * @throws where the chain does not answer, which says nothing about its tags.
   */
  finality(): Promise<{ readonly safe: number | null; readonly finalized: number | null }>;
  /** The contract's logs in the blocks from one to another, both included, in order. */
  logsOf(from: number, to: number): Promise<readonly ChainLog[]>;
  /**
   * The blocks from one to another, both included, with the contract's logs, not by `eth_getLogs`.
   * @returns fewer of them where the head is below `to`.
   */
  provenBlocks(from: number, to: number): Promise<readonly ProvenBlock[]>;
}

/** The chain could not be asked: nothing follows for the campaign that the question was about. */
class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';
}

/** The same chain, whose errors are `ChainUnavailableError` whatever the library throws. */
export function failingAsUnavailable(chain: Chain): Chain {
  const guarded =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await ask(...args);
      } catch (cause) {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new ChainUnavailableError(message, { cause });
      }
    };
  return {
    chainId: chain.chainId,
    startBlock: chain.startBlock,
    provenDepth: chain.provenDepth,
    head: guarded(() => chain.head()),
    blockAt: guarded((number) => chain.blockAt(number)),
    finality: guarded(() => chain.finality()),
    logsOf: guarded((from, to) => chain.logsOf(from, to)),
    provenBlocks: guarded((from, to) => chain.provenBlocks(from, to)),
  };
}
