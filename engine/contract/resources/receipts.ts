import { z } from 'zod';
import { get, resource } from '../define.ts';
import { ReceiptBundle } from '../shapes/bundle.ts';
import { Period } from '../shapes/period.ts';
import { MerchantSale, Purchase, saleLookup } from '../shapes/purchase.ts';
import { Receipt, ReceiptEvent, ReceiptSummary } from '../shapes/receipt.ts';
import { Verification } from '../shapes/verification.ts';
import {
  Address,
  AtBlock,
  CampaignId,
  ChainId,
  pageOf,
  pageQuery,
  SaleId,
  SaleState,
  textInput,
} from '../values.ts';

const params = z.strictObject({ chainId: ChainId, saleId: SaleId });
const page = z.strictObject(pageQuery);
const WholeTokens = z
  .string()
  .regex(/^[0-9]{1,30}(?:\.[0-9]{1,18})?$/, 'must be a number such as 12.5')
  .describe('Whole tokens of the token of each sale, such as 12.5.');

/** Query fields of lists of sales that can be in any order. */
const saleList = {
  campaignId: CampaignId.describe('Only this campaign.').optional(),
  state: SaleState.optional(),
  range: Period.describe('Only sales recorded in it.').optional(),
  paidMin: WholeTokens.describe('Only sales of at least this price, in whole tokens.').optional(),
  paidMax: WholeTokens.describe('Only sales of at most this price, in whole tokens.').optional(),
  order: z
    .enum(['newest', 'oldest', 'highest', 'lowest'])
    .describe(
      'By time (default newest), or by price, where amounts of different tokens are compared in whole tokens.',
    )
    .optional(),
};

const asOf = { atBlock: AtBlock.optional() };

/** Methods for sales and their receipts. */
export const receipts = resource('receipts', {
  about: 'Sales with their policy, path, split and events, and their verification.',
  caller: 'public',
})({
  get: get('/v1/receipts/:chainId/:saleId', {
    summary: 'A sale with its policy, path, split, every transition, and the state of each reward.',
    input: { params, query: z.strictObject(asOf) },
    output: Receipt,
  }),
  events: get('/v1/receipts/:chainId/:saleId/events', {
    summary: 'The events of a sale, oldest first.',
    input: { params, query: page.extend(asOf) },
    output: pageOf(ReceiptEvent),
  }),
  verify: get('/v1/receipts/:chainId/:saleId/verify', {
    summary: 'Checks a receipt against the chain, without trusting any stored data.',
    input: { params },
    output: Verification,
  }),
  bundle: get('/v1/receipts/:chainId/:saleId/bundle', {
    documentedName: null,
    summary: 'A receipt with proofs with which anyone can check it offline.',
    input: { params },
    output: ReceiptBundle,
  }),
  recent: get('/v1/receipts', {
    serving: { cached: true },
    summary: 'Sales of all campaigns, newest first.',
    input: {
      query: page.extend({
        buyer: Address.describe('Only what it bought.').optional(),
        ...saleList,
      }),
    },
    output: pageOf(ReceiptSummary),
  }),
  forBuyer: get('/v1/me/purchases', {
    caller: 'account',
    serving: { replica: true },
    summary: 'Purchases of the caller, with what they give access to; newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        state: SaleState.optional(),
        range: Period.describe('Only sales recorded in it.').optional(),
      }),
    },
    output: pageOf(Purchase),
  }),
  forMerchant: get('/v1/merchant/sales', {
    caller: 'viewer',
    serving: { replica: true },
    summary: 'Sales of all campaigns of the merchant, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        ...saleList,
        q: textInput(200)
          .refine((text) => text.trim() !== '', 'must not be blank')
          .describe(
            'Only sales of this number or of a product with these words; or whose buyer, order key or transaction begins so, from 4 digits after 0x on.',
          )
          .optional(),
        finalized: Period.describe('Only sales finalized in it.').optional(),
        changed: Period.describe('Only sales whose newest event is in it.').optional(),
        ...saleLookup,
      }),
    },
    output: pageOf(MerchantSale),
  }),
  forCampaign: get('/v1/campaigns/:campaignId/sales', {
    serving: { cached: true },
    summary: 'Sales of one campaign, newest first.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: page.extend({ state: SaleState.optional() }),
    },
    output: pageOf(ReceiptSummary),
  }),
});
