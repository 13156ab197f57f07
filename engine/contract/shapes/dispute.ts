/** A buyer's request for a refund, from opening to what the chain made of it. */
import { z } from 'zod';
import {
  Address,
  Amount,
  CampaignId,
  ChainId,
  Count,
  Id,
  SaleId,
  SaleState,
  Timestamp,
} from '../values.ts';
import { Token } from './common.ts';

export const DisputeReason = z
  .enum(['not_received', 'not_as_described', 'charged_in_error', 'other'])
  .describe('Why the buyer wants a refund.');

export const DisputeStatus = z
  .enum(['open', 'accepted', 'declined', 'refunded', 'expired'])
  .describe(
    'accepted waits for the refund on the chain; refunded and expired closed it: the chain gave back what was accepted or asked for, or finalized the sale without it.',
  );

export const Dispute = z.strictObject({
  id: Id,
  chainId: ChainId,
  saleId: SaleId,
  campaignId: CampaignId,
  merchantId: Id,
  buyer: Address,
  token: Token,
  saleAmount: Amount.describe('What the contract received, base units.'),
  requestedAmount: Amount.describe('What the buyer wants back, base units.'),
  acceptedAmount: Amount.nullable().describe(
    'What the merchant accepted to give back in place of it, base units; null unless accepted.',
  ),
  refundedTotal: Amount.describe(
    'Given back to the buyer so far, also before the dispute, base units.',
  ),
  saleState: SaleState,
  reason: DisputeReason,
  status: DisputeStatus,
  declineReason: z.string().nullable().describe('What the merchant said; null unless declined.'),
  respondBy: Timestamp.describe('When the hold is over: from then on anyone may finalize.'),
  openedAt: Timestamp,
  updatedAt: Timestamp,
  closedAt: Timestamp.nullable().describe('When the chain closed it; null until then.'),
});

export const DisputeDetail = Dispute.extend({
  messages: z
    .array(
      z.strictObject({
        id: Id,
        from: z.enum(['buyer', 'merchant']),
        text: z.string(),
        at: Timestamp,
      }),
    )
    .describe('Oldest first.'),
});

export const DisputeExposure = z.strictObject({
  open: Count.describe('Disputes that nobody answered.'),
  accepted: Count.describe('Disputes whose refund is not on the chain yet.'),
  nextRespondBy: Timestamp.nullable().describe(
    'When the first hold of theirs ends; null without one.',
  ),
  byToken: z
    .array(
      z.strictObject({
        token: Token,
        disputes: Count.describe('Open and accepted ones.'),
        requested: Amount.describe(
          'What is still to be given back: of what was accepted or asked for; base units.',
        ),
        rewardsAtRisk: Amount.describe('Reserved rewards of their sales, base units.'),
        proceedsPending: Amount.describe('Of all campaigns of the merchant, base units.'),
      }),
    )
    .describe('Amounts of different tokens are never added. Largest request first.'),
});
