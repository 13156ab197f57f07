import { TooManyAtOnceError } from '../errors.ts';
import { networkOf, wideNetworkOf } from '../network-address.ts';
import type { StreamSettings } from './settings.ts';

/** The place of one stream. */
export interface Place {
  /** Says how to end the stream if its place is needed. */
  whenNeeded(end: () => void): void;
  /** Gives the place back; a second call does nothing. */
  release(): void;
}

interface Taken {
  readonly networks: readonly string[];
  readonly since: number;
  end: () => void;
}

type Limits = Pick<StreamSettings, 'perAddress' | 'perWideNetwork' | 'readers' | 'pressedMs'>;

/** The share of all places by which streams that are just ending may exceed them. */
const ENDING_SHARE = 0.1;

/**
 * Counts the streams that are open, in all and by network. If all places are taken, a new stream gets
 * the place of the network that holds most, or of a stream that has lasted long enough: its reader
 * resumes where it was.
 */
export class Connections {
  readonly #count = new Map<string, number>();
  /** In the order in which they were opened. */
  readonly #taken = new Set<Taken>();
  /** Ended to make room, and not gone yet. */
  readonly #ending = new Set<Taken>();

  constructor(
    readonly limits: Limits,
    readonly now: () => number = () => performance.now(),
  ) {}

  get count(): number {
    return this.#taken.size;
  }

  /** @throws {TooManyAtOnceError} if as many are open as may be. */
  take(address: string): Place {
    const { perAddress, perWideNetwork, readers } = this.limits;
    const [network, wide] = [networkOf(address), wideNetworkOf(address)];
    if (this.#of(network) >= perAddress || (wide && this.#of(wide) >= perWideNetwork)) {
      throw new TooManyAtOnceError(
        `Too many streams of this address are open: at most ${perAddress} may be.`,
      );
    }
    if (this.#taken.size >= readers) this.#makeRoomFor(network);
    const networks = wide === undefined ? [network] : [network, wide];
    const taken: Taken = { networks, since: this.now(), end: () => {} };
    this.#taken.add(taken);
    for (const one of networks) this.#count.set(one, this.#of(one) + 1);
    return {
      whenNeeded: (end) => {
        taken.end = end;
        // It was needed before the stream had begun.
        if (this.#ending.has(taken)) end();
      },
      release: () => {
        this.#ending.delete(taken);
        this.#remove(taken);
      },
    };
  }

  #of(network: string): number {
    return this.#count.get(network) ?? 0;
  }

  #makeRoomFor(network: string): void {
    const found = this.#toEnd(network);
    if (found === undefined || this.#ending.size >= this.limits.readers * ENDING_SHARE) {
      throw new TooManyAtOnceError('Too many streams are open just now: try again.');
    }
    this.#remove(found);
    this.#ending.add(found);
    found.end();
  }

  /** The oldest stream of the network that has most, if it has more than it would leave the new one. */
  #toEnd(network: string): Taken | undefined {
    let found: Taken | undefined;
    let most = this.#of(network) + 1;
    for (const taken of this.#taken) {
      const count = Math.max(...taken.networks.map((one) => this.#of(one)));
      if (count > most) [found, most] = [taken, count];
    }
    if (found !== undefined) return found;
    const [oldest] = this.#taken;
    const lasted = oldest === undefined ? 0 : this.now() - oldest.since;
    return lasted >= this.limits.pressedMs ? oldest : undefined;
  }

  #remove(taken: Taken): void {
    if (!this.#taken.delete(taken)) return;
    for (const one of taken.networks) {
      const left = this.#of(one) - 1;
      if (left > 0) this.#count.set(one, left);
      else this.#count.delete(one);
    }
  }
}
