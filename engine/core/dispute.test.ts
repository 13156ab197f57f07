import { describe, expect, it } from 'vitest';
import {
  acceptableAmounts,
  type DisputeStatus,
  type DisputeTerms,
  disputeStatus,
  isWithin,
  refundGoal,
  requestableAmounts,
} from './dispute.ts';
import type { SaleState } from './fold/state.ts';

const open: DisputeTerms = {
  answer: 'open',
  refundedBefore: 100n,
  requestedAmount: 500n,
  acceptedAmount: null,
};
const accepted: DisputeTerms = { ...open, answer: 'accepted', acceptedAmount: 300n };
const declined: DisputeTerms = { ...open, answer: 'declined' };
const withdrawn: DisputeTerms = { ...open, answer: 'withdrawn' };
const withdrawnLate: DisputeTerms = { ...accepted, answer: 'withdrawn' };

describe('disputeStatus', () => {
  const cases: [string, DisputeTerms, SaleState, bigint, DisputeStatus][] = [
    ['waits for the merchant', open, 'pending', 100n, 'open'],
    ['waits still after a part of what was asked', open, 'pending', 599n, 'open'],
    ['is refunded once all that was asked is given back', open, 'pending', 600n, 'refunded'],
    ['expires with the sale', open, 'finalized', 100n, 'expired'],
    ['expires where a part alone was given back', open, 'finalized', 599n, 'expired'],
    ['is refunded before the sale became final', open, 'finalized', 600n, 'refunded'],
    ['expires with an attested sale that was reversed', open, 'reversed', 100n, 'expired'],
    ['is refunded with the sale as a whole', open, 'refunded', 1_000n, 'refunded'],
    ['accepted, waits for the refund', accepted, 'pending', 399n, 'accepted'],
    ['accepted in part, is refunded by that part', accepted, 'pending', 400n, 'refunded'],
    ['accepted and never refunded, expires', accepted, 'finalized', 399n, 'expired'],
    ['declined, stays so while the sale is pending', declined, 'pending', 100n, 'declined'],
    ['declined, stays so when the sale is final', declined, 'finalized', 100n, 'declined'],
    ['declined and refunded all the same, is refunded', declined, 'pending', 600n, 'refunded'],
    ['declined, is refunded with the whole sale', declined, 'refunded', 1_000n, 'refunded'],
    ['withdrawn, stays so while the sale is pending', withdrawn, 'pending', 100n, 'withdrawn'],
    ['withdrawn, stays so when the sale is final', withdrawn, 'finalized', 100n, 'withdrawn'],
    ['withdrawn and refunded all the same, is refunded', withdrawn, 'pending', 600n, 'refunded'],
    ['withdrawn after it was accepted', withdrawnLate, 'pending', 399n, 'withdrawn'],
    ['withdrawn, and the accepted refund comes', withdrawnLate, 'pending', 400n, 'refunded'],
  ];

  it.each(cases)(
    'decides the status of a dispute: %s',
    (_name, terms, state, refundedTotal, status) => {
      expect(disputeStatus(terms, { state, refundedTotal })).toBe(status);
    },
  );

  it('counts only refunds after the opening of a dispute toward its goal', () => {
    expect([refundGoal(open), refundGoal(accepted)]).toEqual([600n, 400n]);
  });
});

describe('amounts of a dispute', () => {
  const sale = { amount: 100n, refundedTotal: 30n };

  it('lets the buyer ask for up to all that is not refunded yet', () => {
    const range = requestableAmounts(sale);
    expect([0n, 1n, 70n, 71n].map((amount) => isWithin(amount, range))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('lets the merchant accept more than was refunded since the dispute was opened', () => {
    const range = acceptableAmounts({ refundedBefore: 10n }, sale);
    expect(range).toEqual({ above: 20n, max: 90n });
    expect([20n, 21n, 90n, 91n].map((amount) => isWithin(amount, range))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
