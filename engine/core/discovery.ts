/**
 * `discovery-v1`: the order of distributors in the public list (docs/reference/api.md#the-order-of-distributors).
 * Four signals of 0 to 1000 points, weighted 4 : 3 : 2 : 1, add up to a score of 0 to 10000. They are
 * integers, so that every machine gives the same order.
 *
 * - settledConversions: each doubling is 100 points.
 * - merchants: 200 points for each different merchant, up to five.
 * - keptShare: share of the closed sales that was neither refunded in full nor reversed.
 * - recency: 1000 points up to 30 days after the newest settled sale, 100 less for each 30 days more.
 *
 * Only sales count whose buyer is neither the merchant nor the owner of a rewarded node of the path:
 * one's own purchase is no recommendation.
 */

/** Totals of one distributor that decide its place in the public list. */
export interface DiscoveryTotals {
  /** Sales finalized and not reversed in which the account has a rewarded level. */
  readonly settledConversions: number;
  readonly refundedSales: number;
  readonly reversedSales: number;
  /** Number of different merchants of the settled conversions. */
  readonly merchantCount: number;
  /** Unix seconds of the newest settled conversion; `null` if there is none. */
  readonly lastSettledAt: number | null;
}

/** Score of a distributor, and the signals that it consists of. */
export interface DiscoveryRank {
  /** 0..10000, higher first. */
  readonly score: number;
  readonly slot: 'ranked' | 'new';
  /** Points of each signal, 0..1000, the signal with the largest weight first. */
  readonly signals: readonly { readonly name: string; readonly value: number }[];
}

/** Version of these definitions; it changes with any of them. */
export const METHODOLOGY_VERSION = '1';

/** Settled conversions that a distributor needs to be ranked. */
const RANKED_FROM = 3;
const POINTS = 1_000;
const MONTH_SECONDS = 2_592_000;

/**
 * Ranks a distributor by its totals.
 * @param clock Unix seconds of the block that is read.
 *
 * @example
 * discoveryRank({ settledConversions: 8, refundedSales: 2, reversedSales: 0, merchantCount: 2,
 *   lastSettledAt: 1_700_000_000 }, 1_700_000_600) // score 4 × 400 + 3 × 400 + 2 × 800 + 1000
 */
export function discoveryRank(totals: DiscoveryTotals, clock: number): DiscoveryRank {
  const { settledConversions, merchantCount } = totals;
  const conversions = Math.min(POINTS, bits(settledConversions) * 100);
  const merchants = Math.min(POINTS, merchantCount * 200);
  const retained = retainedPoints(totals);
  const recency = recencyOf(totals.lastSettledAt, clock);
  return {
    score: 4 * conversions + 3 * merchants + 2 * retained + recency,
    slot: settledConversions >= RANKED_FROM ? 'ranked' : 'new',
    signals: [
      { name: 'settledConversions', value: conversions },
      { name: 'merchants', value: merchants },
      { name: 'keptShare', value: retained },
      { name: 'recency', value: recency },
    ],
  };
}

/** Bits of a count: 0 for 0, 1 for 1, 2 for 2 or 3, and so on. */
function bits(count: number): number {
  return count <= 0 ? 0 : count.toString(2).length;
}

function retainedPoints({
  settledConversions,
  refundedSales,
  reversedSales,
}: DiscoveryTotals): number {
  const ended = settledConversions + refundedSales + reversedSales;
  return ended === 0 ? 0 : Math.floor((settledConversions * POINTS) / ended);
}

function recencyOf(lastSettledAt: number | null, clock: number): number {
  if (lastSettledAt === null) return 0;
  const months = Math.floor(Math.max(0, clock - lastSettledAt) / MONTH_SECONDS);
  return Math.max(0, POINTS - months * 100);
}
