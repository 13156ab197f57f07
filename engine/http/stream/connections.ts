import { HttpError } from '../errors.ts';
import { networkOf, wideNetworkOf } from '../network-address.ts';
import type { StreamSettings } from './settings.ts';

/** Slot of one open stream. */
export interface StreamSlot {
  /** Sets how to end the stream if its slot is needed. */
  whenNeeded(end: () => void): void;
  /** Frees the slot; a second call does nothing. */
  release(): void;
}

interface OpenStream {
  readonly networks: readonly string[];
  readonly since: number;
  end: () => void;
}

type Limits = Pick<StreamSettings, 'perAddress' | 'perWideNetwork' | 'readers' | 'pressedMs'>;

/** Share of all slots by which streams that are ending may exceed the limit. */
const ENDING_SHARE = 0.1;

/**
 * Counts the open streams, in total and by network. If all slots are taken, a new stream gets a slot of the
 * network that has most, or of a stream that has lasted long enough. The reader of an ended stream resumes
 * at its position.
 */
export class Connections {
  readonly #count = new Map<string, number>();
  /** Open streams, in the order in which they were opened. */
  readonly #open = new Set<OpenStream>();
  /** Streams that were ended to make room and are not closed yet. */
  readonly #ending = new Set<OpenStream>();

  constructor(
    readonly limits: Limits,
    readonly now: () => number = () => performance.now(),
  ) {}

  get count(): number {
    return this.#open.size;
  }

  /** Takes a slot. @throws {HttpError} RATE_LIMITED if the maximum is already open. */
  take(address: string): StreamSlot {
    const { perAddress, perWideNetwork, readers } = this.limits;
    const [network, wide] = [networkOf(address), wideNetworkOf(address)];
    if (this.#of(network) >= perAddress || (wide && this.#of(wide) >= perWideNetwork)) {
      throw new HttpError(
        'RATE_LIMITED',
        `Too many streams from this address: at most ${perAddress} may be open.`,
      );
    }
    if (this.#open.size >= readers) this.#makeRoomFor(network);
    const networks = wide === undefined ? [network] : [network, wide];
    const stream: OpenStream = { networks, since: this.now(), end: () => {} };
    this.#open.add(stream);
    for (const one of networks) this.#count.set(one, this.#of(one) + 1);
    return {
      whenNeeded: (end) => {
        stream.end = end;
        // The slot was needed before the stream had begun.
        if (this.#ending.has(stream)) end();
      },
      release: () => {
        this.#ending.delete(stream);
        this.#remove(stream);
      },
    };
  }

  #of(network: string): number {
    return this.#count.get(network) ?? 0;
  }

  #makeRoomFor(network: string): void {
    const found = this.#toEnd(network);
    if (found === undefined || this.#ending.size >= this.limits.readers * ENDING_SHARE) {
      throw new HttpError('RATE_LIMITED', 'Too many streams are open: try again.');
    }
    this.#remove(found);
    this.#ending.add(found);
    found.end();
  }

  /** Stream to end: the oldest of the network that has most, if that has more than the new stream's network. */
  #toEnd(network: string): OpenStream | undefined {
    let found: OpenStream | undefined;
    let most = this.#of(network) + 1;
    for (const stream of this.#open) {
      const count = Math.max(...stream.networks.map((one) => this.#of(one)));
      if (count > most) [found, most] = [stream, count];
    }
    if (found !== undefined) return found;
    const [oldest] = this.#open;
    const lasted = oldest === undefined ? 0 : this.now() - oldest.since;
    return lasted >= this.limits.pressedMs ? oldest : undefined;
  }

  #remove(stream: OpenStream): void {
    if (!this.#open.delete(stream)) return;
    for (const one of stream.networks) {
      const left = this.#of(one) - 1;
      if (left > 0) this.#count.set(one, left);
      else this.#count.delete(one);
    }
  }
}
