import type { Entry } from './message.ts';

/** The newest messages, for all readers together; the oldest make room. */
export class Ring {
  #entries: Entry[] = [];
  #characters = 0;
  #floor: number;

  /** @param floor the number that the first message follows. */
  constructor(
    readonly limits: { readonly ringMessages: number; readonly ringCharacters: number },
    floor: number,
  ) {
    this.#floor = floor;
  }

  /** Whoever has taken all up to it can go on from here; whoever has less cannot. */
  get floor(): number {
    return this.#floor;
  }

  /** The number of the newest message. */
  get newest(): number {
    return this.#floor + this.#entries.length;
  }

  /** The message of that number, which is above the floor; `undefined` where it is yet to come. */
  at(sequence: number): Entry | undefined {
    return this.#entries[sequence - this.#floor - 1];
  }

  /** @throws RangeError where a message does not follow the one before it: numbers have no gap. */
  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { sequence } = entry.change;
      if (sequence !== this.newest + 1) {
        throw new RangeError(`change ${sequence} does not follow ${this.newest}`);
      }
      this.#entries.push(entry);
      this.#characters += entry.text.length;
    }
    let gone = 0;
    const { ringMessages, ringCharacters } = this.limits;
    while (this.#entries.length - gone > ringMessages || this.#characters > ringCharacters) {
      this.#characters -= this.#entries[gone]?.text.length ?? 0;
      gone += 1;
    }
    this.#entries.splice(0, gone);
    this.#floor += gone;
  }
}
