import type { Chain, ChainHead } from '../chain/chain.ts';
import type { CheckedHead } from '../db/indexer/checked.ts';
import type { IndexerHead } from '../db/indexer/head.ts';
import type { FeederError } from '../db/rows/feeder-error.ts';
import { areFast } from './fast-blocks.ts';

/** A tick without a new block waits this many times `restMs`, so that most requests for the newest block are for a new one. */
const UNANNOUNCED_RESTS = 1.25;

/** Longest wait for more blocks that come fast, as a part of `restMs`: four seconds on a public chain. */
const WAIT_RESTS = 0.2;

/** Pause after a first refusal, doubled with each further one: a limit of requests does not end by asking. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;
/** `MAX_PAUSE_MS` if the RPC limits how much it is asked, perhaps until the next day. */
const MAX_LIMITED_PAUSE_MS = 60_000;

/** Seconds of a pause that the error names. */
const LONG_PAUSE_S = 10;

/** A request that the chain did not answer. */
export interface Refusal {
  readonly error: FeederError;
  /** True if the RPC limits how much it is asked. */
  readonly isRateLimited: boolean;
  /** Milliseconds that the RPC said to wait; 0 if it did not say. */
  readonly waitMs: number;
}

/**
 * Decides when the feeder asks the chain, whose provider is paid by the call: at each block that the indexer
 * announces, for that block alone; otherwise every `restMs`; and at each tick while something is wrong.
 */
export class ChainWatch {
  #askedAt = Number.NEGATIVE_INFINITY;
  /** When blocks were last checked. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isSteady = false;
  #head: ChainHead | undefined;
  /** Ticks in a row whose requests the chain did not answer, and what the last of them met. */
  #refusals = 0;
  #refusal: Refusal | undefined;
  #isFull = false;

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
    const pauseMs = this.#isSteady ? restMs : this.#refusedPauseMs();
    this.#isFull = now - this.#askedAt >= pauseMs;
    if (!this.#isFull) return false;
    this.#askedAt = now;
    this.#checkedAt = now;
    return true;
  }

  /** The error of the last refusal, and how long nothing is asked after it; `undefined` if the last tick met none. */
  get refusal(): FeederError | undefined {
    return this.#refusal?.error;
  }

  /** True if blocks without a fact may wait to be checked together with later ones. */
  mayWait(checked: CheckedHead, { blockNumber, timestamp }: IndexerHead): boolean {
    if (!this.#isSteady || blockNumber === null || timestamp === null) return false;
    const isEarly = this.clock() - this.#checkedAt < WAIT_RESTS * this.restMs;
    return isEarly && areFast(checked, { number: blockNumber, timestamp });
  }

  /** The error of the last refusal while a tick waits to ask again; `undefined` if the chain may be asked. */
  get waitsFor(): FeederError | undefined {
    return this.#isFull ? undefined : this.#refusal?.error;
  }

  /** The pause begins now, and a long one is part of the error. */
  #refuse(refusal: Refusal): void {
    this.#askedAt = this.clock();
    const seconds = Math.round(this.#refusedPauseMs() / 1_000);
    if (seconds < LONG_PAUSE_S) return;
    const message = `${refusal.error.message} It is asked again after ${seconds} s.`;
    this.#refusal = { ...refusal, error: { ...refusal.error, message } };
  }

  #refusedPauseMs(): number {
    if (this.#refusals === 0) return 0;
    const { isRateLimited = false, waitMs = 0 } = this.#refusal ?? {};
    const max = isRateLimited ? MAX_LIMITED_PAUSE_MS : MAX_PAUSE_MS;
    const pauseMs = Math.min(max, FIRST_PAUSE_MS * 2 ** Math.min(this.#refusals - 1, 10));
    return Math.max(pauseMs, waitMs);
  }

  /**
   * Records the newest block that the chain returned, and whether the tick found nothing wrong.
   * @param refusal the last request that the chain did not answer.
   * @param hasProgress true if blocks were checked nevertheless: then the next pause is shorter.
   */
  record(
    head: ChainHead | undefined,
    isConsistent: boolean,
    refusal?: Refusal,
    hasProgress = false,
  ): void {
    // A tick that waits after a refusal asks nothing, and so learns nothing.
    if (this.#isFull || this.#refusal === undefined) {
      const before = hasProgress ? Math.floor(this.#refusals / 2) : this.#refusals;
      this.#refusals = refusal === undefined ? 0 : before + 1;
      this.#refusal = refusal;
      if (refusal !== undefined) this.#refuse(refusal);
    }
    // Without its logs: only the tick that requested them may use them.
    if (head !== undefined) {
      const { logs: _, readLogs: __, ...block } = head;
      this.#head = block;
    }
    this.#isSteady = isConsistent && this.#head !== undefined;
  }

  /**
   * The head for a check between two requests for the newest block: nothing if all indexed blocks are checked;
   * the last known head, or the indexed block itself if it is above that.
   * @param checked highest checked block.
   */
  async headFor(chain: Chain, checked: number, indexed: number): Promise<ChainHead | undefined> {
    if (indexed === checked) return undefined;
    this.#checkedAt = this.clock();
    // The indexer has rolled back: the last known head may be of the chain that it left.
    if (indexed < checked) return await chain.head();
    if (this.#head !== undefined && this.#head.number >= indexed) return this.#head;
    const [block] = await chain.provenBlocks(indexed, indexed);
    // Without it, the RPC is behind the indexer.
    return block ?? (await chain.head());
  }
}
