import type { Hex } from '../core/events.ts';

/** A block as settlement needs it. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** What settlement asks the chain itself; the entry point makes it from an RPC. */
export interface Chain {
  readonly chainId: number;
  /** The newest block. */
  head(): Promise<ChainBlock>;
  /** The canonical block at a height; `null` above the head. */
  blockAt(number: number): Promise<ChainBlock | null>;
  /**
   * Numbers of the chain's `safe` and `finalized` tags; `null` where it does not have them.
   * @throws where the chain does not answer, which says nothing about its tags.
   */
  finality(): Promise<{ readonly safe: number | null; readonly finalized: number | null }>;
}
