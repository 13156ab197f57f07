import { max, sum } from '../../../engine/core/amounts.ts';

/** One area of a stack: what it is called, and its amount at each sample. */
export interface Band {
  readonly name: string;
  readonly label: string;
  readonly amounts: readonly bigint[];
}

/** The highest that the stack of all bands gets. */
export function heightOf(bands: readonly Band[]): bigint {
  const length = bands[0]?.amounts.length ?? 0;
  const heights = Array.from({ length }, (_, i) =>
    sum(bands.map(({ amounts }) => amounts[i] ?? 0n)),
  );
  return heights.reduce(max, 0n);
}

/** Steps into which a whole is cut to draw it: finer than any screen. */
const STEPS = 1_000_000n;

/** How much of the whole a part is, 0 to 1: for lengths on a screen alone, never for a figure. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole <= 0n ? 0 : Number((part * STEPS) / whole) / Number(STEPS);
}

/**
 * A round amount not below this one, so that an axis has round steps: 1, 2 or 5 times a power of 10.
 */
export function roundUp(amount: bigint): bigint {
  if (amount <= 0n) return 1n;
  let power = 1n;
  while (power * 10n <= amount) power *= 10n;
  return [1n, 2n, 4n, 5n, 8n, 10n].map((n) => n * power).find((top) => top >= amount) ?? amount;
}
