import { z } from 'zod';
import { get, post, put, resource } from '../define.ts';
import { BuyerDetails, BuyerDetailsInput } from '../shapes/buyer-details.ts';
import { CheckoutIntent, CheckoutPreview } from '../shapes/checkout.ts';
import { PaymentKind, PreparedOrder } from '../shapes/signed-order.ts';
import {
  Address,
  AmountInput,
  CampaignId,
  Hash32,
  Id,
  NodeId,
  SignatureOrNone,
} from '../values.ts';

const params = z.strictObject({ id: Id });

const chosen = {
  skuHash: Hash32.describe('The SKU; default the campaign’s own.').optional(),
  variantId: Id.describe('A variant of the product, in place of skuHash.').optional(),
  nodeId: NodeId.describe(
    'The link that sells; omitted or 0 for a sale without a link.',
  ).optional(),
};

const previewQuery = z.strictObject({
  ...chosen,
  buyer: Address.describe('Who would buy: a policy can refuse a self-referral.').optional(),
});

const intentBody = z.strictObject({
  ...chosen,
  campaignId: CampaignId,
  orderKey: Hash32.describe(
    'The order’s name on the chain, chosen by the buyer: also the header idempotency-key.',
  ),
  maxAmount: AmountInput.describe('From the preview; 409 if the price has risen above it.'),
  minPolicyVersion: z
    .int()
    .min(1)
    .max(4_294_967_295)
    .describe('From the preview; 409 if an older one holds.'),
});

/** Methods for purchases. */
export const checkout = resource('checkout', {
  about: 'From a price to a paid sale, with one intent per order.',
  caller: 'account',
})({
  preview: get('/v1/campaigns/:campaignId/checkout-preview', {
    caller: 'public',
    serving: { replica: false },
    summary:
      'What a purchase would cost and pay its path, or why it cannot be made; not a promise.',
    input: { params: z.strictObject({ campaignId: CampaignId }), query: previewQuery },
    output: CheckoutPreview,
  }),
  createIntent: post('/v1/checkout/intents', {
    idempotencyField: 'orderKey',
    summary:
      'Begins a purchase; repeating it with the same orderKey and body returns the same intent.',
    input: { body: intentBody },
    output: CheckoutIntent,
  }),
  getIntent: get('/v1/checkout/intents/:id', {
    serving: { writes: true },
    summary: 'An intent of the signed-in buyer, reconciled with the chain.',
    input: { params },
    output: CheckoutIntent,
  }),
  attachTransaction: post('/v1/checkout/intents/:id/transaction', {
    summary: 'Reports the transaction that was sent; its outcome is read from the chain.',
    input: { params, body: z.strictObject({ transactionHash: Hash32 }) },
    output: CheckoutIntent,
  }),
  getDetails: get('/v1/checkout/intents/:id/details', {
    documentedName: null,
    summary: 'E-mail address, postal address and note that the buyer gave with an intent.',
    input: { params },
    output: BuyerDetails,
  }),
  saveDetails: put('/v1/checkout/intents/:id/details', {
    documentedName: null,
    summary: 'Stores them encrypted, until after the payment; 422 if a required one is missing.',
    input: { params, body: BuyerDetailsInput },
    output: CheckoutIntent,
  }),
  prepareOrder: get('/v1/checkout/intents/:id/order', {
    documentedName: null,
    serving: { writes: true },
    summary: 'What to sign so that a relayer sends the purchase, if that is offered.',
    input: { params },
    output: PreparedOrder,
  }),
  submitOrder: post('/v1/checkout/intents/:id/order', {
    documentedName: null,
    summary: 'Hands the signed order to the relayer, once; 422 if the contract would refuse it.',
    input: {
      params,
      body: z.strictObject({
        payment: PaymentKind,
        orderSignature: SignatureOrNone.describe('Of ORDER; 0x with an authorization.'),
        tokenSignature: SignatureOrNone.describe('Of PERMIT or AUTHORIZATION; 0x without one.'),
      }),
    },
    output: CheckoutIntent,
  }),
});
