import { HttpError } from '../errors.ts';
import { networkOf } from '../network-address.ts';

/** Limits on concurrent connections of one kind. */
export interface ConnectionLimits {
  /** Connections from one address, or one IPv6 network of 64 bits. */
  readonly perAddress: number;
  /** Connections from all addresses together. */
  readonly readers: number;
}

/** Counts the open connections of one kind, in total and by address. */
export class ConnectionLimit {
  readonly #ofNetwork = new Map<string, number>();
  #count = 0;

  /** @param what noun in the plural, for the error message. */
  constructor(
    readonly limits: ConnectionLimits,
    readonly what: string,
  ) {}

  get count(): number {
    return this.#count;
  }

  /**
   * Counts a connection.
   * @returns a function that ends it, to be called once.
   * @throws {HttpError} RATE_LIMITED if the maximum is already open.
   */
  take(address: string): () => void {
    const network = networkOf(address);
    const of = this.#ofNetwork.get(network) ?? 0;
    if (of >= this.limits.perAddress) {
      throw new HttpError(
        'RATE_LIMITED',
        `Too many ${this.what} from this address: at most ${this.limits.perAddress} may be open.`,
      );
    }
    if (this.#count >= this.limits.readers) {
      throw new HttpError('RATE_LIMITED', `Too many ${this.what} are open: try again.`);
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
