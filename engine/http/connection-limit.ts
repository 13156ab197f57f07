import { TooManyAtOnceError } from './errors.ts';
import { networkOf } from './network-address.ts';

/** How many connections of one kind may be open at the same time. */
export interface ConnectionLimits {
  /** From one address, or one IPv6 network of 64 bits. */
  readonly perAddress: number;
  /** From all addresses together. */
  readonly readers: number;
}

/** Counts connections of one kind that are open, in total and by address. */
export class ConnectionLimit {
  readonly #ofNetwork = new Map<string, number>();
  #count = 0;

  /** @param what in the plural, for the sentence of the error. */
  constructor(
    readonly limits: ConnectionLimits,
    readonly what: string,
  ) {}

  get count(): number {
    return this.#count;
  }

  /**
   * @returns a function that gives the place back, to be called once.
   * @throws {TooManyAtOnceError} where as many are open as may be.
   */
  take(address: string): () => void {
    const network = networkOf(address);
    const of = this.#ofNetwork.get(network) ?? 0;
    if (of >= this.limits.perAddress) {
      throw new TooManyAtOnceError(
        `Too many ${this.what} of this address are open: at most ${this.limits.perAddress} may be.`,
      );
    }
    if (this.#count >= this.limits.readers) {
      throw new TooManyAtOnceError(`Too many ${this.what} are open just now: try again.`);
    }
    this.#count += 1;
    this.#ofNetwork.set(network, of + 1);
    return () => {
      this.#count -= 1;
      const left = (this.#ofNetwork.get(network) ?? 1) - 1;
      if (left > 0) this.#ofNetwork.set(network, left);
      else this.#ofNetwork.delete(network);
    };
  }
}
