/** Answers after which a size that failed is tried again: an RPC may have become faster. */
const ANSWERS_BEFORE_GROWTH = 32;

/** Most by which a size grows after one answer. */
const MAX_FACTOR = 4;

/**
 * How many blocks a request asks for: half of what failed, and no more until many requests were answered. Without
 * that memory every second request would fail again.
 */
export class PartSize {
  #blocks: number;
  #limit: number;
  #answers = 0;

  /**
   * @param max blocks at most.
   * @param first blocks at first.
   */
  constructor(
    private readonly max: number,
    first = max,
  ) {
    this.#blocks = first;
    this.#limit = max;
  }

  get blocks(): number {
    return this.#blocks;
  }

  /** After a request for that many blocks that failed by its size. */
  shrink(asked: number): void {
    this.#blocks = Math.ceil(asked / 2);
    this.#limit = this.#blocks;
    this.#answers = 0;
  }

  /**
   * After a request that was answered.
   * @param room how many times as much the response might have been; below 1 if it was too much.
   */
  grow(room = 2): void {
    this.#answers += 1;
    if (this.#answers >= ANSWERS_BEFORE_GROWTH) {
      this.#limit = Math.min(this.max, 2 * this.#limit);
      this.#answers = 0;
    }
    const factor = room < 1 ? 0.5 : Math.min(MAX_FACTOR, Math.floor(room));
    this.#blocks = Math.max(1, Math.min(this.#limit, Math.floor(factor * this.#blocks)));
  }
}
