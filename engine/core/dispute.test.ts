import { describe, expect, it } from 'vitest';
import { type DisputeStatus, type DisputeTerms, disputeStatus, refundGoal } from './dispute.ts';
import type { SaleState } from './fold/state.ts';

const open: DisputeTerms = {
  answer: 'open',
  refundedBefore: 100n,
  requestedAmount: 500n,
  acceptedAmount: null,
};
const accepted: DisputeTerms = { ...open, answer: 'accepted', acceptedAmount: 300n };
const declined: DisputeTerms = { ...open, answer: 'declined' };

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
  ];

  it.each(cases)('%s', (_name, terms, state, refundedTotal, status) => {
    expect(disputeStatus(terms, { state, refundedTotal })).toBe(status);
  });

  it('counts toward the goal only what came after the opening', () => {
    expect([refundGoal(open), refundGoal(accepted)]).toEqual([600n, 400n]);
  });
});
