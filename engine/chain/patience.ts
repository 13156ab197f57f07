/** Time limits of a response. */
export interface ResponseLimit {
  /** Milliseconds without a byte after which a request is cancelled. */
  readonly silenceMs: number;
  /** Milliseconds after which it is cancelled although bytes arrive. */
  readonly maxMs: number;
}

/** Longest silence, as a multiple of the first: a minute. */
const MAX_GROWTH = 12;

/** Longest response, as a multiple of the silence: a link that delivers something may be slow. */
const RESPONSE_SILENCES = 6;

/** Answers after which the silence is halved again. */
const ANSWERS_BEFORE_SHRINKING = 32;

/**
 * How long an RPC may be silent before a large response. It grows if a request failed by it that cannot ask for less:
 * otherwise a full block of a slow RPC would fail for ever.
 */
export class Patience implements ResponseLimit {
  #silenceMs: number;
  #answers = 0;

  /** @param firstMs milliseconds without a byte at first. */
  constructor(private readonly firstMs: number) {
    this.#silenceMs = firstMs;
  }

  get silenceMs(): number {
    return this.#silenceMs;
  }

  get maxMs(): number {
    return RESPONSE_SILENCES * this.#silenceMs;
  }

  /** After the smallest possible request got no response in time. */
  grow(): void {
    this.#silenceMs = Math.min(MAX_GROWTH * this.firstMs, 2 * this.#silenceMs);
    this.#answers = 0;
  }

  /** After a response. */
  answered(): void {
    this.#answers += 1;
    if (this.#answers % ANSWERS_BEFORE_SHRINKING === 0) {
      this.#silenceMs = Math.max(this.firstMs, this.#silenceMs / 2);
    }
  }
}
