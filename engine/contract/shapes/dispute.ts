// Disputes: a buyer's requests for a refund, until the chain decides them.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
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
import { RefundTerms, soldFields } from './sold-product.ts';

/** Reason of a dispute. */
export const DisputeReason = z
  .enum(['not_received', 'not_as_described', 'charged_in_error', 'other'])
  .describe('Why the buyer wants a refund.');

/** Status of a dispute. */
export const DisputeStatus = z
  .enum(['open', 'accepted', 'declined', 'withdrawn', 'refunded', 'expired'])
  .describe(
    'accepted: the refund is not on the chain yet; withdrawn: the buyer took it back; refunded: the chain refunded the accepted or requested amount; expired: the sale was finalized without it.',
  );

/** A dispute in a list. */
export const Dispute = z.strictObject({
  id: Id,
  chainId: ChainId,
  saleId: SaleId,
  campaignId: CampaignId,
  merchantId: Id,
  buyer: Address,
  ...soldFields,
  token: Token,
  saleAmount: Amount.describe('Amount that the contract received, base units.'),
  requestedAmount: Amount.describe('Amount that the buyer requested, base units.'),
  acceptedAmount: Amount.nullable().describe(
    'Amount that the merchant accepted to refund instead, base units; null if none.',
  ),
  refundedTotal: Amount.describe('Refunded so far, including before the dispute, base units.'),
  saleState: SaleState,
  reason: DisputeReason,
  status: DisputeStatus,
  declineReason: z.string().nullable().describe('Reason of the merchant; null unless declined.'),
  respondBy: Timestamp.describe('When the hold is over: from then on anyone may finalize.'),
  openedAt: Timestamp.describe('When it was opened, or opened again after it was withdrawn.'),
  updatedAt: Timestamp,
  closedAt: Timestamp.nullable().describe('When the chain closed it; null until then.'),
});

/** A dispute with its messages. */
export const DisputeDetail = Dispute.extend({
  refundPolicy: RefundTerms,
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

/** The possible cost of a merchant's open disputes. */
export const DisputeExposure = z.strictObject({
  open: Count.describe('Disputes that the merchant has not answered.'),
  accepted: Count.describe('Disputes whose refund is not on the chain yet.'),
  nextRespondBy: Timestamp.nullable().describe(
    'When their first hold ends; null if there is none.',
  ),
  byToken: z
    .array(
      z.strictObject({
        token: Token,
        disputes: Count.describe('Open and accepted ones.'),
        requested: Amount.describe('Accepted or requested, not yet refunded, base units.'),
        rewardsAtRisk: Amount.describe('Reserved rewards of their sales, base units.'),
        proceedsPending: Amount.describe('Pending proceeds of all campaigns, base units.'),
      }),
    )
    .describe('Amounts of different tokens are never added. Largest request first.'),
});

nameSchemas({ DisputeReason, DisputeStatus, Dispute, DisputeDetail, DisputeExposure });
