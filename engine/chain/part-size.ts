/** Answers after which a size that failed is tried again: an RPC may have become faster. */
const ANSWERS_BEFORE_GROWTH = 32;

/**
 * How many blocks a request asks for: half of what failed, and no more until many requests were answered. Without
 * that memory every second request would fail again.
 */
export class PartSize {
  #blocks: number;
  #limit: number;
  #answers = 0;

  /** @param max blocks at most. */
  constructor(private readonly max: number) {
    this.#blocks = max;
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

  /** After a request that was answered. */
  grow(): void {
    this.#answers += 1;
    if (this.#answers >= ANSWERS_BEFORE_GROWTH) {
      this.#limit = Math.min(this.max, 2 * this.#limit);
      this.#answers = 0;
    }
    this.#blocks = Math.min(this.#limit, 2 * this.#blocks);
  }
}
