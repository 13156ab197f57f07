import { z } from 'zod';
import { defineMethod } from '../define.ts';
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
} from '../values.ts';

const params = z.strictObject({ chainId: ChainId, saleId: SaleId });
const page = z.strictObject(pageQuery);
const asOf = { atBlock: AtBlock.optional() };

/** Methods for sales and their receipts. */
export const receipts = {
  get: defineMethod({
    name: 'receipts.get',
    method: 'GET',
    path: '/v1/receipts/:chainId/:saleId',
    access: 'public',
    availability: 'live',
    summary: 'A sale with its policy, path, split, every transition, and the state of each reward.',
    input: { params, query: z.strictObject(asOf) },
    output: Receipt,
  }),
  events: defineMethod({
    name: 'receipts.events',
    method: 'GET',
    path: '/v1/receipts/:chainId/:saleId/events',
    access: 'public',
    availability: 'live',
    summary: 'The events of a sale, oldest first.',
    input: { params, query: page.extend(asOf) },
    output: pageOf(ReceiptEvent),
  }),
  verify: defineMethod({
    name: 'receipts.verify',
    method: 'GET',
    path: '/v1/receipts/:chainId/:saleId/verify',
    access: 'public',
    availability: 'live',
    summary: 'Checks a receipt against the chain, without trusting any stored data.',
    input: { params },
    output: Verification,
  }),
  bundle: defineMethod({
    name: 'receipts.bundle',
    documentedName: null,
    method: 'GET',
    path: '/v1/receipts/:chainId/:saleId/bundle',
    access: 'public',
    availability: 'live',
    summary: 'A receipt with proofs with which anyone can check it offline.',
    input: { params },
    output: ReceiptBundle,
  }),
  recent: defineMethod({
    name: 'receipts.recent',
    method: 'GET',
    path: '/v1/receipts',
    access: 'public',
    availability: 'live',
    summary: 'Sales of all campaigns, newest first.',
    input: { query: page.extend({ buyer: Address.describe('Only what it bought.').optional() }) },
    output: pageOf(ReceiptSummary),
  }),
  forBuyer: defineMethod({
    name: 'receipts.forBuyer',
    method: 'GET',
    path: '/v1/me/purchases',
    access: 'session',
    caller: 'account',
    availability: 'live',
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
  forMerchant: defineMethod({
    name: 'receipts.forMerchant',
    method: 'GET',
    path: '/v1/merchant/sales',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Sales of all campaigns of the merchant, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        state: SaleState.optional(),
        range: Period.describe('Only sales recorded in it.').optional(),
        finalized: Period.describe('Only sales finalized in it.').optional(),
        changed: Period.describe('Only sales whose newest event is in it.').optional(),
        ...saleLookup,
        order: z
          .enum(['newest', 'oldest'])
          .describe('Newest (default) or oldest sale first.')
          .optional(),
      }),
    },
    output: pageOf(MerchantSale),
  }),
  forCampaign: defineMethod({
    name: 'receipts.forCampaign',
    method: 'GET',
    path: '/v1/campaigns/:campaignId/sales',
    access: 'public',
    availability: 'live',
    summary: 'Sales of one campaign, newest first.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: page.extend({ state: SaleState.optional() }),
    },
    output: pageOf(ReceiptSummary),
  }),
} as const;
