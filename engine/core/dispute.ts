import type { SaleState } from './fold/state.ts';

/** The merchant's last answer to a dispute, or `withdrawn` if the buyer took it back after that. */
export type DisputeAnswer = 'open' | 'accepted' | 'declined' | 'withdrawn';

/** State of a dispute. The chain decides `refunded` and `expired`; the parties decide the others. */
export type DisputeStatus = DisputeAnswer | 'refunded' | 'expired';

/** Stored terms of a dispute; amounts in base units. */
export interface DisputeTerms {
  readonly answer: DisputeAnswer;
  /** Refunded total of the sale when the dispute was opened. */
  readonly refundedBefore: bigint;
  readonly requestedAmount: bigint;
  /** Retained if the buyer withdraws an accepted dispute, because the refund may come all the same. */
  readonly acceptedAmount: bigint | null;
}

/** Sale of a dispute at the settled block; amounts in base units. */
export interface DisputedSale {
  readonly state: SaleState;
  readonly refundedTotal: bigint;
}

/**
 * Refunded total of the sale that fulfils a dispute, base units: what the merchant accepted, or else what
 * the buyer asked for, in addition to what was refunded before the dispute.
 */
export function refundGoal({
  refundedBefore,
  requestedAmount,
  acceptedAmount,
}: Omit<DisputeTerms, 'answer'>): bigint {
  return refundedBefore + (acceptedAmount ?? requestedAmount);
}

/**
 * Status of a dispute. It is `refunded` once the sale has refunded the goal, whatever the merchant
 * answered, and even if the buyer withdrew it. A sale that became final without that leaves a dispute
 * `declined` or `withdrawn`, and any other `expired`. While the sale is pending, the status is the last answer.
 *
 * `disputeStatusSql` (engine/db/read/disputes/rows.ts) computes the same in SQL.
 * @internal for the test that compares both.
 */
export function disputeStatus(terms: DisputeTerms, sale: DisputedSale): DisputeStatus {
  if (sale.state === 'refunded' || sale.refundedTotal >= refundGoal(terms)) return 'refunded';
  const isOver = terms.answer === 'declined' || terms.answer === 'withdrawn';
  return sale.state === 'pending' || isOver ? terms.answer : 'expired';
}

/** Range of amounts, base units. */
export interface AmountRange {
  /** Amounts must be greater than this. */
  readonly above: bigint;
  readonly max: bigint;
}

/** True if an amount is within a range. */
export function isWithin(amount: bigint, { above, max }: AmountRange): boolean {
  return amount > above && amount <= max;
}

/** Amounts that the buyer of a sale may ask for, in base units: up to all that is not refunded yet. */
export function requestableAmounts(sale: {
  readonly amount: bigint;
  readonly refundedTotal: bigint;
}): AmountRange {
  return { above: 0n, max: sale.amount - sale.refundedTotal };
}

/**
 * Amounts that the merchant may accept for a dispute, in base units: more than was refunded since it was
 * opened, and at most the rest of the sale.
 */
export function acceptableAmounts(
  { refundedBefore }: Pick<DisputeTerms, 'refundedBefore'>,
  sale: { readonly amount: bigint; readonly refundedTotal: bigint },
): AmountRange {
  return { above: sale.refundedTotal - refundedBefore, max: sale.amount - refundedBefore };
}
