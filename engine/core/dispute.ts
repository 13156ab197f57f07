import type { SaleState } from './fold/state.ts';

/** What the merchant said last. */
export type DisputeAnswer = 'open' | 'accepted' | 'declined';

/** `refunded` and `expired` are the chain's word; the others wait for it. */
export type DisputeStatus = DisputeAnswer | 'refunded' | 'expired';

/** A dispute as it is kept; amounts in base units. */
export interface DisputeTerms {
  readonly answer: DisputeAnswer;
  /** What the sale had given back when the dispute was opened. */
  readonly refundedBefore: bigint;
  readonly requestedAmount: bigint;
  readonly acceptedAmount: bigint | null;
}

/** Its sale as of the settled block. */
export interface DisputedSale {
  readonly state: SaleState;
  readonly refundedTotal: bigint;
}

/**
 * The refunded total of the sale, base units, that fulfils a dispute: what the merchant accepted, or
 * else what the buyer asked for, on top of what had been given back before.
 */
export function refundGoal({
  refundedBefore,
  requestedAmount,
  acceptedAmount,
}: Omit<DisputeTerms, 'answer'>): bigint {
  return refundedBefore + (acceptedAmount ?? requestedAmount);
}

/**
 * Where a dispute stands. The chain has the last word: `refunded` once the sale has given back its
 * goal, whoever said what; a sale that is final without it leaves `expired`, or `declined` where
 * that was the answer. While the sale is pending, it is what the merchant said last.
 *
 * `disputeStatusSql` (engine/db/read/dispute-rows.ts) says the same; a test holds them together.
 */
export function disputeStatus(terms: DisputeTerms, sale: DisputedSale): DisputeStatus {
  if (sale.state === 'refunded' || sale.refundedTotal >= refundGoal(terms)) return 'refunded';
  return sale.state === 'pending' || terms.answer === 'declined' ? terms.answer : 'expired';
}
