import { z } from 'zod';
import { get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import {
  Dispute,
  DisputeDetail,
  DisputeExposure,
  DisputeReason,
  DisputeStatus,
} from '../shapes/dispute.ts';
import { UnsignedTransaction } from '../shapes/transaction.ts';
import {
  Address,
  Amount,
  AmountInput,
  CampaignId,
  ChainId,
  Hash32,
  Id,
  pageOf,
  pageQuery,
  SaleId,
  textInput,
} from '../values.ts';

const params = z.strictObject({ id: Id });

const Response = z
  .strictObject({
    response: z.enum(['accept', 'decline', 'message']).describe('message changes nothing else.'),
    amount: AmountInput.describe(
      'Amount to refund for an accepted dispute, base units; default the requested amount.',
    ).optional(),
    reason: textInput(500).min(1).describe('Why it is declined; at most 500.').optional(),
    message: textInput(2_000).min(1).describe('To the other side; at most 2000.').optional(),
  })
  .refine(({ response, reason }) => response !== 'decline' || reason !== undefined, {
    path: ['reason'],
    message: 'is needed to decline',
  })
  .refine(({ response, message }) => response !== 'message' || message !== undefined, {
    path: ['message'],
    message: 'is needed for a message',
  })
  .refine(({ response, amount }) => response === 'accept' || amount === undefined, {
    path: ['amount'],
    message: 'goes with accept only',
  });

const RefundApproval = z
  .strictObject({
    attester: Address.describe('Who attested the sale.'),
    saleId: SaleId,
    campaignId: CampaignId,
    termsHash: Hash32.describe('termsHash of the campaign: signed with its id.'),
    buyer: Address,
    orderKey: Hash32.describe('Names the sale, with campaign and buyer.'),
    amount: Amount.describe('Amount to refund now, base units.'),
    refundedTotal: Amount.describe('Total of the sale after it, which is signed; base units.'),
    reasonHash: Hash32.describe('keccak-256 of the dispute’s id, UTF-8.'),
  })
  .describe(
    'The attester signs it as EIP-712 RefundApproval, with a deadline at most 900 s ahead.',
  );

nameSchemas({ DisputeResponse: Response, RefundApproval });

/** Methods for refund requests of buyers. */
export const disputes = resource('disputes', {
  about: 'Refund requests of buyers.',
  caller: 'viewer',
})({
  open: post('/v1/me/refund-requests', {
    caller: 'account',
    summary:
      'Asks for a refund of a purchase of the caller while one is possible, once per sale unless it was withdrawn.',
    input: {
      body: z.strictObject({
        chainId: ChainId,
        saleId: SaleId,
        reason: DisputeReason,
        message: textInput(2_000).min(1).describe('To the merchant; 1 to 2000 characters.'),
        amount: AmountInput.describe(
          'Requested amount, base units; default everything that was not refunded yet.',
        ).optional(),
      }),
    },
    output: DisputeDetail,
  }),
  list: get('/v1/merchant/disputes', {
    summary: 'Disputes about sales of the merchant, the first hold to end first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        status: DisputeStatus.optional(),
        campaignId: CampaignId.describe('Only this campaign.').optional(),
      }),
    },
    output: pageOf(Dispute),
  }),
  get: get('/v1/merchant/disputes/:id', {
    summary: 'One dispute with its messages, for its merchant and its buyer.',
    input: { params },
    output: DisputeDetail,
  }),
  respond: post('/v1/merchant/disputes/:id/responses', {
    caller: 'admin',
    summary:
      'Accepts a dispute, which gives the refund to sign; declines it; or, the buyer too, sends a message.',
    input: { params, body: Response },
    output: z.strictObject({
      dispute: DisputeDetail,
      transaction: UnsignedTransaction.nullable().describe(
        'refund, for accept; null otherwise, and if the chain already has the refund or an attester must sign first.',
      ),
      approval: RefundApproval.nullable().describe(
        'Data that the attester of a THIRD_PARTY_VERIFIED campaign must sign for an accepted refund; null otherwise.',
      ),
    }),
  }),
  exposure: get('/v1/merchant/disputes/exposure', {
    summary: 'What the merchant’s open disputes could cost.',
    input: {},
    output: DisputeExposure,
  }),
});
