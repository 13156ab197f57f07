import { countOf } from './count-of.ts';

/**
 * The `balanced` order of campaigns (docs/reference/api.md#the-balanced-order): an integer score, so that every
 * machine gives the same order, and the sentences that explain it.
 *
 * Four parts of 0..1000 points each, weighted 4 : 3 : 2 : 1, add up to a score of 0..10000.
 *
 * - reward: commissionBps relative to `REWARD_FULL_BPS`, from which on it has all the points.
 * - budget: number of sales at the current price that the budget can reward; each doubling is 100 points.
 * - record: sales settled so far; each doubling is 100 points.
 * - hold: how much shorter the hold is than the longest one allowed.
 *
 * A campaign that takes no sales, or cannot reward another one, has no points for reward and budget:
 * it pays nothing.
 */

/** Properties of a campaign that decide its score. */
export interface RankInput {
  /** True if its events say that it is funded, not paused and not ended; its dates are not considered. */
  readonly open: boolean;
  /** Reward of a sale, basis points (1..10000; 0 before the first policy). */
  readonly commissionBps: number;
  /** Unreserved part of the rewards vault, base units. */
  readonly available: bigint;
  /** Price of the campaign's own SKU, base units. */
  readonly price: bigint;
  /** Sales finalized and not reversed. */
  readonly settledSales: number;
  /** Seconds a reward is held (60..7776000). */
  readonly holdSeconds: number;
}

/** Score of a campaign, and the sentences that explain it. */
export interface Rank {
  /** 0..10000, higher first. */
  readonly score: number;
  /** Sentences for people, the part with the largest weight first. */
  readonly reasons: readonly string[];
}

/** A commission of 30 % or more has all the points for reward. */
const REWARD_FULL_BPS = 3_000;
const PART_POINTS = 1_000;
const POINTS_PER_DOUBLING = 100;
/** Limits of a hold (docs/reference/protocol.md#policy), seconds. */
const SHORTEST_HOLD_SECONDS = 60;
const LONGEST_HOLD_SECONDS = 7_776_000;

/**
 * Ranks a campaign. The clock and whether the campaign is live at the moment are not considered.
 *
 * @example
 * rankCampaign({ open: true, commissionBps: 1_000, available: 5_000n, price: 100n,
 *   settledSales: 12, holdSeconds: 604_800 }) // { score: 5754, reasons: ['Pays 10 % …', …] }
 */
export function rankCampaign(input: RankInput): Rank {
  const salesLeft = rewardedSalesLeft(input);
  const parts = {
    reward: salesLeft === 0n ? 0 : portion(input.commissionBps, REWARD_FULL_BPS),
    budget: doublings(salesLeft),
    record: doublings(BigInt(input.settledSales)),
    hold: portion(
      LONGEST_HOLD_SECONDS - input.holdSeconds,
      LONGEST_HOLD_SECONDS - SHORTEST_HOLD_SECONDS,
    ),
  };
  return {
    score: 4 * parts.reward + 3 * parts.budget + 2 * parts.record + parts.hold,
    reasons: reasonsOf(input, salesLeft),
  };
}

/** Number of sales at the current price that the budget can still reward in full, ignoring caps. */
function rewardedSalesLeft({ open, available, price, commissionBps }: RankInput): bigint {
  if (!open || available <= 0n) return 0n;
  const perSale = (price * BigInt(commissionBps)) / 10_000n;
  // A price so low that its reward rounds to nothing costs the budget nothing either.
  return perSale <= 0n ? available : available / perSale;
}

/** part ÷ whole in points, 0..1000. */
function portion(part: number, whole: number): number {
  const points = Math.floor((part * PART_POINTS) / whole);
  return Math.max(0, Math.min(PART_POINTS, points));
}

/** Points for a count: 0 for 0, 100 for 1, 200 for 2 or 3, … 1000 from 512 on. */
function doublings(count: bigint): number {
  if (count <= 0n) return 0;
  return Math.min(PART_POINTS, count.toString(2).length * POINTS_PER_DOUBLING);
}

function reasonsOf(input: RankInput, salesLeft: bigint): string[] {
  return [
    `Pays ${percent(input.commissionBps)} of each sale as reward.`,
    input.open ? budgetReason(salesLeft) : 'It takes no sales at present.',
    recordReason(input.settledSales),
    `Holds rewards for ${duration(input.holdSeconds)}.`,
  ];
}

function budgetReason(salesLeft: bigint): string {
  if (salesLeft === 0n) return 'The reward budget does not cover another sale.';
  if (salesLeft > 1_000n) return 'The reward budget covers more than 1000 more sales.';
  return `The reward budget covers ${countOf(salesLeft, 'more sale')}.`;
}

function recordReason(settledSales: number): string {
  if (settledSales === 0) return 'No sale has settled yet.';
  return `${countOf(settledSales, 'sale has', 'sales have')} settled.`;
}

/** Formats basis points: 1250 → "12.5 %". */
function percent(bps: number): string {
  const whole = Math.floor(bps / 100);
  const fraction = String(bps % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  return `${whole}${fraction === '' ? '' : `.${fraction}`} %`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats seconds with their two largest units: 90061 → "1 day 1 hour". */
function duration(seconds: number): string {
  let left = seconds;
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? [] : [countOf(count, unit)];
  });
  return parts.slice(0, 2).join(' ') || '0 seconds';
}
