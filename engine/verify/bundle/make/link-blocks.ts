/** Blocks between two that a bundle needs; the ends are not among them. */
export interface Gap {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The gaps between needed blocks that are filled with headers, so that a later block vouches for an
 * earlier: the narrowest first, as far as that many headers reach.
 * @param numbers of the needed blocks, rising.
 */
export function gapsToFill(numbers: readonly bigint[], headersMost: number): Gap[] {
  const gaps = numbers
    .slice(1)
    .map((number, i) => ({ from: (numbers[i] ?? 0n) + 1n, to: number - 1n }));
  let left = BigInt(headersMost);
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
