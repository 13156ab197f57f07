import { min } from '../amounts.ts';
import type { Fact } from '../events.ts';
import { shareAfterRefund } from '../split.ts';
import { isNative } from './record.ts';
import type { FoldState, Sale, SaleLevel } from './state.ts';
import {
  adjustCounts,
  adjustLedger,
  type FoldStep,
  post,
  postLevel,
  putLevel,
  putSale,
  report,
  type Work,
} from './step.ts';

/** Seconds after its finalization within which a sale may be reversed, including the last one. */
export const REVERSAL_SECONDS = 2_592_000;

/** The folding of an event of one level: released, vested or reversed. */
type LevelStep = Work & { readonly fact: Pick<Fact<'RewardVested'>, 'args'> };

/** The level that an event is about; reports a discrepancy if the ledger does not know it. */
function findLevel(step: LevelStep): { sale: Sale; level: SaleLevel } | undefined {
  const { saleId, level: number, nodeId, recipient } = step.fact.args;
  const sale = step.state.sales.get(saleId);
  const level = sale?.levels.find((candidate) => candidate.level === number);
  if (sale === undefined || level === undefined) {
    const actual = sale === undefined ? `sale ${saleId}` : `level ${number}`;
    report(step, 'UNKNOWN_SALE', 'a level of a recorded sale', actual, { saleId, level: number });
    return undefined;
  }
  if (level.recipient !== recipient || level.nodeId !== nodeId) {
    const expected = `${level.recipient} by node ${level.nodeId}`;
    report(step, 'RECIPIENT', expected, `${recipient} by node ${nodeId}`, {
      saleId,
      level: number,
      account: recipient,
    });
  }
  return { sale, level };
}

/** RewardReleased: a refund returns a part of a level's reserve to the budget. */
export function releaseReward(step: FoldStep<'RewardReleased'>): void {
  const { amount, saleId, level: number } = step.fact.args;
  const found = findLevel(step);
  const released = min(amount, found?.level.reserved ?? 0n);
  if (released !== amount) report(step, 'RELEASE', released, amount, { saleId, level: number });
  if (found === undefined) return;
  const { sale } = found;
  const level = {
    ...found.level,
    reserved: found.level.reserved - released,
    released: found.level.released + released,
  };
  putLevel(step, sale, level);
  adjustLedger(step, { pendingReserved: -released, available: released });
  postLevel(step, 'release', sale, level, released, { reserved: -released, refunded: released });
}

/** SaleRefunded: follows the releases, and closes the sale if nothing of it remains. */
export function refundSale(step: FoldStep<'SaleRefunded'>): void {
  const { args } = step.fact;
  const about = { saleId: args.saleId };
  if (isNative(step.state)) {
    adjustLedger(step, { proceedsPending: -args.amount, buyerRefunded: args.amount });
  }
  const sale = pendingSale(step, args.saleId);
  if (sale === undefined) return;
  const refundedTotal = sale.refundedTotal + args.amount;
  if (refundedTotal !== args.refundedTotal || refundedTotal > sale.amount) {
    report(step, 'REFUND_TOTAL', min(refundedTotal, sale.amount), args.refundedTotal, about);
  }
  const whole = args.refundedTotal >= sale.amount;
  for (const level of sale.levels) {
    const left = heldAfterRefund(sale, level, args.refundedTotal);
    if (level.reserved !== left) {
      report(step, 'RELEASE', left, level.reserved, { ...about, level: level.level });
    }
  }
  const next = { ...sale, refundedTotal: args.refundedTotal };
  if (whole) {
    adjustCounts(step, { pending: -1, refunded: 1 });
    step.sale = closeSale(step, { ...next, state: 'refunded' });
  } else {
    putSale(step, next);
    step.sale = next;
  }
}

/**
 * RewardVested: a level's reserve becomes claimable. An amount beyond the reserve comes from `available`
 * and is a discrepancy (docs/how-it-works/settlement.md#predict-then-prove).
 */
export function vestReward(step: FoldStep<'RewardVested'>): void {
  const { amount, saleId, level: number, nodeId, recipient } = step.fact.args;
  const found = findLevel(step);
  const held = min(amount, found?.level.reserved ?? 0n);
  if (held !== amount) report(step, 'VEST', held, amount, { saleId, level: number });
  adjustLedger(step, {
    pendingReserved: -held,
    available: held - amount,
    vestedUnclaimed: amount,
  });
  if (found === undefined) {
    const of = { account: recipient, saleId, level: number, nodeId, heldAfter: null };
    post(step, { kind: 'vest', amount, ...of }, { claimable: amount });
    return;
  }
  const { sale } = found;
  const level = {
    ...found.level,
    reserved: found.level.reserved - held,
    vested: found.level.vested + amount,
    vestedSeq: step.state.seq,
  };
  putLevel(step, sale, level);
  if (level.recipient === recipient) {
    postLevel(step, 'vest', sale, level, amount, { reserved: -held, claimable: amount });
  } else {
    // The chain paid another account than the one the reserve was for: both moves are recorded.
    postLevel(step, 'return', sale, level, held, { reserved: -held });
    postLevel(step, 'vest', sale, { ...level, recipient }, amount, { claimable: amount });
  }
}

/** SaleFinalized: the amount that was not refunded is the merchant's; all reserves have vested. */
export function finalizeSale(step: FoldStep<'SaleFinalized'>): void {
  const { saleId, refundedTotal } = step.fact.args;
  const sale = pendingSale(step, saleId);
  if (sale === undefined) return;
  if (refundedTotal !== sale.refundedTotal) {
    report(step, 'REFUND_TOTAL', sale.refundedTotal, refundedTotal, { saleId });
  }
  if (step.fact.timestamp < sale.holdUntil) {
    report(step, 'HOLD_UNTIL', sale.holdUntil, step.fact.timestamp, { saleId });
  }
  for (const level of sale.levels) {
    if (level.reserved !== 0n) {
      report(step, 'VEST', level.vested + level.reserved, level.vested, {
        saleId,
        level: level.level,
      });
    }
  }
  if (isNative(step.state)) {
    const remaining = sale.amount - sale.refundedTotal;
    adjustLedger(step, { proceedsPending: -remaining, proceedsClaimable: remaining });
  }
  adjustCounts(step, { pending: -1, finalized: 1 });
  step.sale = closeSale(step, {
    ...sale,
    state: 'finalized',
    finalizedAt: step.fact.timestamp,
  });
}

/** RewardReversed: a vested reward that its recipient has not claimed returns to the budget. */
export function reverseReward(step: FoldStep<'RewardReversed'>): void {
  const { amount, saleId, level: number, nodeId, recipient } = step.fact.args;
  const found = findLevel(step);
  const claimable = step.state.accounts.get(recipient)?.claimable ?? 0n;
  const vested = (found?.level.vested ?? 0n) - (found?.level.reversed ?? 0n);
  const reversed = min(amount, min(claimable, vested));
  if (reversed !== amount) report(step, 'REVERSAL', reversed, amount, { saleId, level: number });
  if (found !== undefined) {
    const { sale, level } = found;
    putLevel(step, sale, { ...level, reversed: level.reversed + reversed });
  }
  adjustLedger(step, { vestedUnclaimed: -reversed, available: reversed });
  const heldAfter = found?.level.reserved ?? null;
  const of = { account: recipient, saleId, level: number, nodeId, heldAfter };
  post(step, { kind: 'reverse', amount: reversed, ...of }, { claimable: -reversed, reversed });
}

/** SaleReversed: follows the reversals, and checks that the right levels were reversed. */
export function reverseSale(step: FoldStep<'SaleReversed'>): void {
  const { saleId } = step.fact.args;
  const sale = step.state.sales.get(saleId);
  if (sale?.state !== 'finalized' || isNative(step.state)) {
    const expected = 'a finalized attested sale';
    report(step, 'SALE_STATE', expected, sale?.state ?? 'unknown', { saleId });
    if (sale?.state !== 'finalized') return;
  }
  const last = (sale.finalizedAt ?? 0) + REVERSAL_SECONDS;
  if (step.fact.timestamp > last) {
    report(step, 'REVERSAL', `at or before ${last}`, step.fact.timestamp, { saleId });
  }
  for (const level of sale.levels) {
    const expected = hasClaimedSince(step.state, level) ? 0n : level.vested;
    if (level.reversed !== expected) {
      report(step, 'REVERSAL', expected, level.reversed, { saleId, level: level.level });
    }
  }
  adjustCounts(step, { reversed: 1 });
  step.sale = { ...sale, state: 'reversed' };
  putSale(step, step.sale);
}

/** The reward that a level still holds after refunds of `refundedTotal` base units in all. */
export function heldAfterRefund(sale: Sale, level: SaleLevel, refundedTotal: bigint): bigint {
  if (refundedTotal >= sale.amount) return 0n;
  return shareAfterRefund(level.share, sale.amount, refundedTotal);
}

/** True if a claim of its recipient followed the vesting of a level: such a level is not reversed. */
export function hasClaimedSince(state: Pick<FoldState, 'accounts'>, level: SaleLevel): boolean {
  const lastClaimSeq = state.accounts.get(level.recipient)?.lastClaimSeq ?? 0;
  return level.vestedSeq !== null && lastClaimSeq > level.vestedSeq;
}

/** RewardsClaimed: pays an account its whole claimable balance. */
export function claimRewards(step: FoldStep<'RewardsClaimed'>): void {
  const { account, amount } = step.fact.args;
  const claimable = step.state.accounts.get(account)?.claimable ?? 0n;
  if (claimable !== amount) report(step, 'CLAIM_AMOUNT', claimable, amount, { account });
  const covered = min(amount, claimable);
  adjustLedger(step, {
    vestedUnclaimed: -covered,
    available: covered - amount,
    rewardsClaimed: amount,
  });
  const of = { account, saleId: null, level: null, nodeId: null, heldAfter: null };
  post(step, { kind: 'claim', amount, ...of }, { claimable: -covered, claimed: amount });
}

/** The pending sale that an event closes or refunds; reports a discrepancy if there is none. */
function pendingSale(step: Work, saleId: string): Sale | undefined {
  const sale = step.state.sales.get(saleId);
  if (sale?.state === 'pending') return sale;
  report(step, 'SALE_STATE', 'a pending sale', sale?.state ?? 'unknown', { saleId });
  return undefined;
}

/**
 * Stores a closed sale. Rewards that it still reserves return to `available`, to no account's bucket; the
 * caller has reported them as a discrepancy.
 */
function closeSale(step: Work, sale: Sale): Sale {
  let closed = sale;
  putSale(step, closed);
  for (const level of sale.levels) {
    if (level.reserved === 0n) continue;
    const emptied = { ...level, reserved: 0n };
    closed = putLevel(step, closed, emptied);
    adjustLedger(step, { pendingReserved: -level.reserved, available: level.reserved });
    postLevel(step, 'return', sale, emptied, level.reserved, { reserved: -level.reserved });
  }
  return closed;
}
