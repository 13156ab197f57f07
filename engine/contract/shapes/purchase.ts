/** A sale as its buyer and as its merchant see it in a list. */
import { z } from 'zod';
import { Amount, Hash32, Id, Timestamp } from '../values.ts';
import { DisputeStatus } from './dispute.ts';
import { ReceiptSummary } from './receipt.ts';

const DisputeRef = z
  .strictObject({ id: Id, status: DisputeStatus })
  .nullable()
  .describe('The refund request about it; null without one.');

export const FulfillmentMode = z
  .enum(['download', 'external', 'manual'])
  .describe('manual: the merchant delivers it by other ways.');

export const Purchase = ReceiptSummary.extend({
  orderKey: Hash32.describe('Used once per campaign and buyer.'),
  fulfillment: z.strictObject({
    mode: FulfillmentMode,
    available: z.boolean().describe('Whether fulfillment.access gives it at the block read.'),
    availableFrom: Timestamp.nullable().describe('null where it never will: fully refunded.'),
  }),
  refundable: z.boolean().describe('Whether a refund is still possible on the chain.'),
  dispute: DisputeRef,
});

export const MerchantSale = ReceiptSummary.extend({
  orderKey: Hash32.describe('Used once per campaign and buyer.'),
  proceeds: Amount.describe(
    'What the merchant keeps of it so far: amount less refunds; 0 for an attested sale, base units.',
  ),
  rewards: Amount.describe('Reserved or vested rewards of all levels now, base units.'),
  refundable: z.boolean().describe('Whether a refund is still possible on the chain.'),
  dispute: DisputeRef,
});
