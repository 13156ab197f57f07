import { pollingIntervalOf } from './known-chains.ts';

/** Seconds of the chain's time that a gap is measured over at least: times of blocks are whole seconds. */
const MIN_SECONDS = 8;

/** Gaps of which the median counts: one that is too long, after an outage, changes nothing. */
const MAX_GAPS = 7;

/** A block as it was polled: its height, and its time in Unix seconds. */
interface PolledBlock {
  readonly number: number;
  readonly timestamp: number;
}

/**
 * The interval at which a chain is polled for new blocks. It begins with a preset, and follows the median of the recent
 * gaps between blocks: a chain that becomes faster or slower is followed within about a minute.
 */
export class BlockPace {
  #ms: number;
  #from: PolledBlock | undefined;
  readonly #gaps: number[] = [];

  /** @param startMs interval until the first gaps are known. */
  constructor(startMs: number) {
    this.#ms = startMs;
  }

  /** Milliseconds until the next poll. */
  get ms(): number {
    return this.#ms;
  }

  /** Records the newest block. */
  saw(block: PolledBlock): void {
    const { number, timestamp } = block;
    const from = this.#from;
    if (from === undefined || number < from.number) {
      this.#from = block;
      return;
    }
    const seconds = timestamp - from.timestamp;
    if (number === from.number || seconds < MIN_SECONDS) return;
    this.#from = block;
    this.#gaps.push((1_000 * seconds) / (number - from.number));
    if (this.#gaps.length > MAX_GAPS) this.#gaps.shift();
    if (this.#gaps.length > MAX_GAPS / 2) this.#ms = pollingIntervalOf(medianOf(this.#gaps));
  }
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
