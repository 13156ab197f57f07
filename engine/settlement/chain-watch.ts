import type { Chain, ChainHead } from '../chain/chain.ts';

/**
 * Milliseconds between two requests for the newest block and the chain's tags while the indexer follows the
 * chain and nothing is wrong. Finality moves every few minutes on most chains.
 */
const REST_MS = 20_000;

/**
 * Decides when the feeder asks the chain, whose provider is paid by the call: at each block that the indexer
 * announces, for that block alone; otherwise every `REST_MS`; and at each tick while something is wrong.
 */
export class ChainWatch {
  #askedAt = Number.NEGATIVE_INFINITY;
  #settledDown = false;
  #head: ChainHead | undefined;

  /**
   * True if a tick asks for the newest block and the chain's tags.
   * @param now milliseconds of a monotonic clock.
   */
  isDue(now: number): boolean {
    if (this.#settledDown && now - this.#askedAt < REST_MS) return false;
    this.#askedAt = now;
    return true;
  }

  /** Records the newest block that the chain returned, and whether the tick found nothing wrong. */
  record(head: ChainHead | undefined, isFine: boolean): void {
    if (head !== undefined) this.#head = head;
    this.#settledDown = isFine && this.#head !== undefined;
  }

  /**
   * The head for a check between two requests for the newest block: nothing if all indexed blocks are checked;
   * the last known head, or the indexed block itself if it is above that.
   * @param checked highest checked block.
   * @returns with it, the chain to check with: it does not request that block again.
   */
  async headFor(
    chain: Chain,
    checked: number,
    indexed: number,
  ): Promise<{ readonly head: ChainHead | undefined; readonly chain: Chain }> {
    if (indexed === checked) return { head: undefined, chain };
    // The indexer has rolled back: the last known head may be of the chain that it left.
    if (indexed < checked) return { head: await chain.head(), chain };
    if (this.#head !== undefined && this.#head.number >= indexed)
      return { head: this.#head, chain };
    const [block] = await chain.provenBlocks(indexed, indexed);
    // The RPC is behind the indexer.
    if (block === undefined) return { head: await chain.head(), chain };
    const provenBlocks: Chain['provenBlocks'] = async (from, to) => {
      if (to !== indexed) return await chain.provenBlocks(from, to);
      const before = from < to ? await chain.provenBlocks(from, to - 1) : [];
      return before.length === to - from ? [...before, block] : before;
    };
    return { head: block, chain: { ...chain, provenBlocks } };
  }
}
