import { keccak256, toHex } from 'viem';
import { seeded } from '../support/history.ts';

/** A list that has something to pick from. */
export type NonEmpty<T> = readonly [T, ...T[]];

/**
 * Numbers that a seed decides. Each use has a stream of its own, so that leaving faults out changes
 * nothing of the history that is played.
 */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number, stream: string) {
    this.#next = seeded(Number(keccak256(toHex(`${seed} ${stream}`)).slice(0, 10)));
  }

  /** Other numbers, for who takes as many as it happens to need: these go on as they would have. */
  fork(): Dice {
    return new Dice(this.below(2 ** 31), 'fork');
  }

  /** From 0 up to and without `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True in so many cases of a hundred. */
  chance(percent: number): boolean {
    return this.#next() * 100 < percent;
  }

  pick<T>(list: NonEmpty<T>): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** Picks by weight: of two entries, one of twice the weight comes twice as often. */
  weighted<T extends { readonly weight: number }>(list: NonEmpty<T>): T {
    let left = this.#next() * list.reduce((sum, { weight }) => sum + weight, 0);
    for (const entry of list) {
      left -= entry.weight;
      if (left < 0) return entry;
    }
    return list[0];
  }

  /** The list in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const keyed = list.map((entry) => ({ entry, key: this.#next() }));
    return keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry);
  }
}

/** The list as one that has something to pick from; `undefined` where it has not. */
export function nonEmpty<T>(list: readonly T[]): NonEmpty<T> | undefined {
  const [first, ...rest] = list;
  return first === undefined ? undefined : [first, ...rest];
}
