// Sales in lists of the buyer and of the merchant.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, Amount, Hash32, Id, NodeId, Timestamp, Uri } from '../values.ts';
import { DisputeStatus } from './dispute.ts';
import { ReceiptSummary } from './receipt.ts';

const DisputeRef = z.strictObject({ id: Id, status: DisputeStatus });
const dispute = DisputeRef.nullable().describe(
  'The refund request about it; null if there is none.',
);

/** How a product is delivered. */
export const FulfillmentMode = z
  .enum(['download', 'external', 'manual'])
  .describe('manual: the merchant delivers it in another way.');

/** A sale as its buyer sees it. */
export const Purchase = ReceiptSummary.extend({
  orderKey: Hash32.describe('Used once per campaign and buyer.'),
  fulfillment: z.strictObject({
    mode: FulfillmentMode,
    available: z.boolean().describe('Whether fulfillment.access gives it at the block read.'),
    availableFrom: Timestamp.nullable().describe('null if it never will be, after a full refund.'),
  }),
  refundable: z.boolean().describe('Whether a refund is still possible on the chain.'),
  dispute,
  intentId: Id.nullable().describe('Its checkout; null if it was not bought through this service.'),
  supportEmail: z
    .string()
    .nullable()
    .describe('Where the merchant answers buyers; null if it named no address.'),
  coverUrl: Uri.nullable().describe('Picture of the product now; null without one.'),
  coverAlt: z.string().nullable().describe('What the picture shows.'),
});

/** A sale as its merchant sees it. */
export const MerchantSale = ReceiptSummary.extend({
  orderKey: Hash32.describe('Used once per campaign and buyer.'),
  proceeds: Amount.describe(
    'Proceeds of the merchant so far: amount less refunds; 0 for an attested sale; base units.',
  ),
  rewards: Amount.describe('Reserved or vested rewards of all levels now, base units.'),
  refundable: z.boolean().describe('Whether a refund is still possible on the chain.'),
  dispute,
  hasDetails: z
    .boolean()
    .describe('Whether the buyer gave contact or delivery details: deliveries.list has them.'),
});

/** Query fields by which the backend of a merchant finds sales: the same in every list of them. */
export const saleLookup = {
  orderKey: Hash32.describe('Only sales of this order key.').optional(),
  skuHash: Hash32.describe('Only sales of this SKU.').optional(),
  nodeId: NodeId.describe('Only sales of this link; 0 for sales without a link.').optional(),
  buyer: Address.describe('Only sales to this account.').optional(),
  transactionHash: Hash32.describe(
    'Only sales that an event of this transaction is about, such as a refund.',
  ).optional(),
};

nameSchemas({ DisputeRef, FulfillmentMode, Purchase, MerchantSale });
