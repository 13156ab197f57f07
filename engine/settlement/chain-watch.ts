import type { Chain, ChainHead } from '../chain/chain.ts';

/** A tick without a new block waits this many times `restMs`, so that most requests for the newest block are for a new one. */
const UNANNOUNCED_RESTS = 1.25;

/**
 * Decides when the feeder asks the chain, whose provider is paid by the call: at each block that the indexer
 * announces, for that block alone; otherwise every `restMs`; and at each tick while something is wrong.
 */
export class ChainWatch {
  #askedAt = Number.NEGATIVE_INFINITY;
  #settledDown = false;
  #head: ChainHead | undefined;

  /**
   * @param restMs milliseconds: that of the chain.
   * @param clock milliseconds of a monotonic clock.
   */
  constructor(
    private readonly restMs: number,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /**
   * True if a tick asks for the newest block and the chain's tags.
   * @param isAnnounced the indexer has announced a block: the newest one is then requested instead of it.
   */
  isDue(isAnnounced: boolean): boolean {
    const now = this.clock();
    const restMs = isAnnounced ? this.restMs : UNANNOUNCED_RESTS * this.restMs;
    if (this.#settledDown && now - this.#askedAt < restMs) return false;
    this.#askedAt = now;
    return true;
  }

  /** Records the newest block that the chain returned, and whether the tick found nothing wrong. */
  record(head: ChainHead | undefined, isFine: boolean): void {
    // Without its logs: only the tick that requested them may use them.
    if (head !== undefined) {
      const { logs: _, readLogs: __, ...block } = head;
      this.#head = block;
    }
    this.#settledDown = isFine && this.#head !== undefined;
  }

  /**
   * The head for a check between two requests for the newest block: nothing if all indexed blocks are checked;
   * the last known head, or the indexed block itself if it is above that.
   * @param checked highest checked block.
   */
  async headFor(chain: Chain, checked: number, indexed: number): Promise<ChainHead | undefined> {
    if (indexed === checked) return undefined;
    // The indexer has rolled back: the last known head may be of the chain that it left.
    if (indexed < checked) return await chain.head();
    if (this.#head !== undefined && this.#head.number >= indexed) return this.#head;
    const [block] = await chain.provenBlocks(indexed, indexed);
    // Without it, the RPC is behind the indexer.
    return block ?? (await chain.head());
  }
}
