// Orders: sales as the backend of their merchant follows them.
import { z } from 'zod';
import { Address, Amount, CampaignId, Hash32, Id, NodeId, SaleId, Timestamp } from '../values.ts';
import { IntentState } from './checkout.ts';
import { MerchantSale } from './purchase.ts';

/** An order of a merchant, as the chain has it. */
const Order = MerchantSale.omit({ dispute: true, hasDetails: true }).extend({
  retracted: z.literal(false),
});

/** An order that a reorg removed. */
const RetractedOrder = z.strictObject({
  retracted: z.literal(true).describe('A reorg removed the sale: forget it.'),
  saleId: SaleId,
  campaignId: CampaignId,
  buyer: Address,
  orderKey: Hash32,
});

/** An order, or the retraction of one. */
export const OrderChange = z.discriminatedUnion('retracted', [Order, RetractedOrder]);

const OrderIntent = z.strictObject({
  id: Id,
  state: IntentState.describe('As the buyer last had it reconciled with the chain.'),
  nodeId: NodeId.nullable().describe('null for a sale without a link.'),
  skuHash: Hash32,
  amount: Amount.describe('Price when the intent was made, base units.'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp,
});

/** Everything about an order key in the campaigns of a merchant. */
export const OrdersOfKey = z.strictObject({
  orderKey: Hash32,
  items: z
    .array(
      z.strictObject({
        campaignId: CampaignId,
        buyer: Address,
        sale: MerchantSale.nullable().describe('null if nothing was bought.'),
        intent: OrderIntent.nullable().describe('null if it was not bought through this service.'),
      }),
    )
    .describe('One for each campaign and buyer that used the key, the oldest first; at most 100.'),
});
