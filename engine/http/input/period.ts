/**
 * Period in unix seconds, to compare with block times: `from` is its first second, and `to` is the first
 * second after it.
 */
export function periodOf(
  range: { readonly from: string; readonly to: string } | undefined,
): { readonly from: number; readonly to: number } | undefined {
  return range && { from: secondsOf(range.from), to: secondsOf(range.to) };
}

/** First whole unix second at or after a time. */
function secondsOf(moment: string): number {
  return Math.ceil(Date.parse(moment) / 1_000);
}
