/**
 * A stretch of time as the ledger's block times are compared with it, unix seconds: from the first
 * second that belongs to it to the first after it.
 */
export function periodOf(
  range: { readonly from: string; readonly to: string } | undefined,
): { readonly from: number; readonly to: number } | undefined {
  return range && { from: secondsOf(range.from), to: secondsOf(range.to) };
}

/** The first whole second at or after a moment. */
function secondsOf(moment: string): number {
  return Math.ceil(Date.parse(moment) / 1_000);
}
