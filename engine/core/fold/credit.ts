import type { Address, ChainEvent } from '../events.ts';
import type { Payment } from './state.ts';
import { adjustLedger, type FoldStep, report, type Work } from './step.ts';

/**
 * The payment of an event to a buyer or distributor; only the next event can credit it instead.
 * @param native true if the campaign's sales are paid to the contract, so that refunds move money.
 */
export function paymentOf(event: ChainEvent, native: boolean): Payment | null {
  if (event.name === 'RewardsClaimed') return event.args;
  if (event.name !== 'SaleRefunded' || !native) return null;
  return { account: event.args.buyer, amount: event.args.amount };
}

/**
 * PaymentCredited: the token refused the refund or reward of the previous event, so the contract
 * holds the amount for the account. The ledgers already count it as paid.
 */
export function creditPayment(step: FoldStep<'PaymentCredited'>): void {
  const { account, amount } = step.fact.args;
  const { payment } = step.state;
  if (payment?.account !== account || payment.amount !== amount) {
    const expected = payment === null ? 'no payment' : `${payment.amount} to ${payment.account}`;
    report(step, 'CREDIT', expected, `${amount} to ${account}`, { account });
  }
  changeCredit(step, account, amount);
}

/** CreditWithdrawn: an account took its whole credit, to an address of its choice. */
export function withdrawCredit(step: FoldStep<'CreditWithdrawn'>): void {
  const { account, amount } = step.fact.args;
  const credit = step.state.credits.get(account) ?? 0n;
  if (amount !== credit) report(step, 'CREDIT', credit, amount, { account });
  changeCredit(step, account, amount < credit ? -amount : -credit);
}

function changeCredit(step: Work, account: Address, change: bigint): void {
  const after = (step.state.credits.get(account) ?? 0n) + change;
  step.state.credits.set(account, after);
  step.credit = { account, after };
  adjustLedger(step, { creditOutstanding: change });
}
