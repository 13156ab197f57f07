/** Seeded random numbers: the same seed gives the same plan. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  fraction(): number;
  /** An integer from 0 up to, but not including, `bound`. */
  below(bound: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** An element of a list. @throws {Error} if the list is empty. */
  pick<T extends NonNullable<unknown>>(list: readonly T[]): T;
}

/** Mulberry32: small and fast; not for keys or statistics. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number) => Math.floor(fraction() * bound);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick(list) {
      const item = list[below(list.length)];
      if (item === undefined) throw new Error('There is nothing to pick from an empty list.');
      return item;
    },
  };
}
