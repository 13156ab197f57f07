/** Ways in which the price of a signed order is paid, in the order of the contract's enum `PaymentKind`. */
export const paymentKinds = ['allowance', 'permit', 'authorization'] as const;
export type PaymentKind = (typeof paymentKinds)[number];

/** State of a signed order (docs/operate/run.md#relayer). */
export type SignedOrderState = 'waiting' | 'sent' | 'recorded' | 'refused' | 'expired';

/** Own reasons for which the relayer refuses an order. Others are errors of the contract, as a simulation names them. */
export const orderRefusals = {
  NOT_SPONSORED: 'Purchases with one signature are not offered for this campaign any more.',
  NO_BUDGET: 'What the relayer may spend for this merchant today is used up.',
  STOPPED: 'Too many orders of this merchant failed today.',
  TOO_MUCH_GAS: 'The purchase needs more gas than the relayer may use.',
  REVERTED: 'Its transaction reverted: nothing was paid.',
  TOO_MANY_ATTEMPTS: 'Its transactions disappeared too often.',
  CANCELLED: 'The buyer gave it up before it was sent.',
} as const;
export type OrderRefusal = keyof typeof orderRefusals;

/** Gas that the relayer paid today for a merchant, and in all; wei. */
export interface GasSpending {
  readonly merchant: bigint;
  readonly total: bigint;
  /** Transactions of the merchant that reverted today. */
  readonly failures: number;
}

/** Limits of what the relayer spends on a day (UTC); wei. */
export interface GasBudget {
  readonly merchant: bigint;
  readonly total: bigint;
}

/** Transactions of a merchant that may revert on a day; then the relayer sends no more of its orders on that day. */
export const MAX_FAILURES = 5;

/**
 * Why the relayer does not pay for one more transaction of a merchant; `null` if it does.
 * @param cost the most that it can cost, wei.
 */
export function budgetRefusal(
  spent: GasSpending,
  budget: GasBudget,
  cost: bigint,
): Extract<OrderRefusal, 'STOPPED' | 'NO_BUDGET'> | null {
  if (spent.failures >= MAX_FAILURES) return 'STOPPED';
  const isWithin = spent.merchant + cost <= budget.merchant && spent.total + cost <= budget.total;
  return isWithin ? null : 'NO_BUDGET';
}

/** Begin of the day of a time, by UTC. */
export function dayStart(ms: number): Date {
  return new Date(Math.floor(ms / 86_400_000) * 86_400_000);
}
