/** The blocks between two blocks that a bundle needs; both ends are excluded. */
export interface Gap {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Chooses the gaps between needed blocks to fill with headers, so that a later block vouches for an
 * earlier one: the narrowest first, until `maxHeaders` are used.
 * @param numbers numbers of the needed blocks, ascending.
 */
export function gapsToFill(numbers: readonly bigint[], maxHeaders: number): Gap[] {
  const gaps = numbers
    .slice(1)
    .map((number, i) => ({ from: (numbers[i] ?? 0n) + 1n, to: number - 1n }));
  let left = BigInt(maxHeaders);
  return gaps
    .filter(({ from, to }) => from <= to)
    .sort((a, b) => (widthOf(a) < widthOf(b) ? -1 : 1))
    .filter((gap) => {
      if (widthOf(gap) > left) return false;
      left -= widthOf(gap);
      return true;
    });
}

function widthOf({ from, to }: Gap): bigint {
  return to - from + 1n;
}
