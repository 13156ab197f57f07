import type { Entry } from './message.ts';

/** Newest messages, shared by all readers. The oldest are dropped first. */
export class Ring {
  #entries: Entry[] = [];
  #characters = 0;
  #floor: number;

  /** @param floor sequence number before the first message. */
  constructor(
    readonly limits: { readonly ringMessages: number; readonly ringCharacters: number },
    floor: number,
  ) {
    this.#floor = floor;
  }

  /** Sequence number that a reader must have reached to continue from the ring. */
  get floor(): number {
    return this.#floor;
  }

  /** Sequence number of the newest message. */
  get newest(): number {
    return this.#floor + this.#entries.length;
  }

  /** Message of a sequence number above the floor; `undefined` if it does not exist yet. */
  at(sequence: number): Entry | undefined {
    return this.#entries[sequence - this.#floor - 1];
  }

  /** Adds messages. @throws RangeError if one does not follow the previous one: numbers have no gap. */
  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { sequence } = entry.change;
      if (sequence !== this.newest + 1) {
        throw new RangeError(`change ${sequence} does not follow ${this.newest}`);
      }
      this.#entries.push(entry);
      this.#characters += entry.text.length;
    }
    let dropped = 0;
    const { ringMessages, ringCharacters } = this.limits;
    while (this.#entries.length - dropped > ringMessages || this.#characters > ringCharacters) {
      this.#characters -= this.#entries[dropped]?.text.length ?? 0;
      dropped += 1;
    }
    this.#entries.splice(0, dropped);
    this.#floor += dropped;
  }
}
