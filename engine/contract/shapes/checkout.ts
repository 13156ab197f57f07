// Buying: a preview of the cost, and the intent that tracks a purchase.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  CampaignId,
  CampaignState,
  ChainId,
  Hash32,
  Id,
  NodeId,
  SaleId,
  Timestamp,
  TrustMode,
} from '../values.ts';
import { AskedDetails, DetailKind } from './buyer-details.ts';
import { MerchantRef, NextPolicy, ProductHead, Token, TxRef } from './common.ts';
import { SignedOrder } from './signed-order.ts';
import { CapReason } from './simulation.ts';
import { UnsignedTransaction } from './transaction.ts';

const Refusal = z.strictObject({
  code: z.enum([
    ...(['NOT_FUNDED', 'NOT_STARTED', 'PAUSED', 'ENDED', 'EXPIRED'] as const),
    ...(['SOLD_OUT', 'PAID_ELSEWHERE', 'HIDDEN', 'MERCHANT_CLOSED'] as const),
    'SELF_REFERRAL',
  ]),
  message: z.string().describe('A sentence with the values.'),
});

const ShareView = z.strictObject({
  level: z.int().min(1).describe('1 is the selling node.'),
  nodeId: NodeId,
  recipient: Address,
  amount: Amount,
});

const MissedShare = z.strictObject({
  level: z.int().min(1),
  nodeId: NodeId,
  reason: CapReason,
  amount: Amount.describe('Amount that this cap alone cost the level, base units.'),
});

/** Arguments of the contract's `buy`, except the orderKey, which the buyer chooses. */
const BuyCall = z.strictObject({
  contractAddress: Address,
  functionName: z.literal('buy'),
  campaignId: CampaignId,
  termsHash: Hash32.describe('buy reverts if the campaign of that id has other terms.'),
  nodeId: NodeId.describe('0 for a sale without a link.'),
  nodeOwner: Address.describe(
    'buy reverts if the node has another owner; 0x0…0 for a sale without a link.',
  ),
  skuHash: Hash32,
  maxAmount: Amount.describe('buy reverts if the price is higher, base units.'),
  minPolicyVersion: z.int().min(1).describe('buy reverts if an older policy is in effect.'),
  allowance: Amount.describe('Allowance that the contract needs from the buyer, base units.'),
});

/** The cost and rewards of a purchase, or the reasons why it cannot be made. */
export const CheckoutPreview = z.strictObject({
  chainId: ChainId,
  campaignId: CampaignId,
  state: CampaignState,
  trustMode: TrustMode,
  buyable: z.boolean().describe('At the block read; this may change with the next block.'),
  refusals: z
    .array(Refusal)
    .describe('Why it cannot be bought; empty if it can. SELF_REFERRAL needs `buyer`.'),
  merchant: MerchantRef,
  product: ProductHead,
  variant: z
    .strictObject({ id: Id, name: z.string() })
    .nullable()
    .describe('null for the campaign’s own SKU, and for one that the merchant has not described.'),
  skuHash: Hash32.describe('The SKU that is bought.'),
  asks: AskedDetails,
  token: Token,
  price: Amount.describe('Price of that SKU on the chain, base units.'),
  nodeId: NodeId.nullable().describe('The link that sells; null for a sale without a link.'),
  policyVersion: z.int().min(1).describe('In effect at the block read.'),
  excludesSelfReferral: z
    .boolean()
    .describe('Whether that version refuses sales to the owner of a node that they reward.'),
  nextPolicy: NextPolicy.nullable().describe(
    'The next scheduled version of the policy; null without one.',
  ),
  holdSeconds: z.int(),
  holdUntil: Timestamp.describe('Time until which a sale at the block read could be refunded.'),
  minPolicyVersion: z.int().min(1).describe('Send it with buy.'),
  maxAmount: Amount.describe('Send it with buy, base units.'),
  split: z
    .strictObject({
      gross: Amount.describe('Before any cap, base units.'),
      pool: Amount.describe('After the caps, base units; 0 for a sale without a link.'),
      reserved: Amount.describe('Sum of the shares, base units.'),
      returned: Amount.describe('pool − reserved: stays in the vault, base units.'),
      shares: z.array(ShareView),
      missed: z.array(MissedShare),
    })
    .describe('Rewards of the path, paid from the budget, not by the buyer.'),
  buy: BuyCall.nullable().describe('null if the campaign is not NATIVE_ONCHAIN.'),
});

/** State of a purchase in progress. */
export const IntentState = z
  .enum(['created', 'submitted', 'confirmed', 'failed', 'expired', 'cancelled'])
  .describe(
    'confirmed: its sale is in the ledger; failed: its transaction reverted, or its order key was used for another purchase; cancelled: the buyer gave it up. If a transaction is dropped or replaced, the state becomes created, cancelled or submitted.',
  );

/** A purchase in progress. */
export const CheckoutIntent = z.strictObject({
  id: Id,
  orderKey: Hash32.describe('The order’s name on the chain, and the idempotency key.'),
  campaignId: CampaignId,
  chainId: ChainId,
  nodeId: NodeId.nullable().describe('null for a sale without a link.'),
  skuHash: Hash32,
  buyer: Address,
  token: Token,
  amount: Amount.describe('Price when the intent was made: buy takes no more; base units.'),
  minPolicyVersion: z.int().min(1),
  state: IntentState,
  failure: z.string().nullable().describe('Why it failed, a sentence; null otherwise.'),
  transactions: z
    .array(
      z.strictObject({
        step: z
          .enum(['RESET_ALLOWANCE', 'APPROVE', 'BUY'])
          .describe(
            'RESET_ALLOWANCE comes first for a token that changes an allowance from or to 0 only.',
          ),
        transaction: UnsignedTransaction,
      }),
    )
    .describe(
      'Transactions to sign, in this order; empty if nothing remains to pay, or if something may have been paid.',
    ),
  submitted: z
    .array(
      z.strictObject({
        hash: Hash32,
        status: z.enum(['pending', 'included', 'reverted', 'replaced', 'dropped']),
        at: Timestamp.describe('When it was attached.'),
      }),
    )
    .describe('Transactions that were attached, newest first.'),
  order: SignedOrder.nullable().describe(
    'The order that the buyer signed (checkout.submitOrder); null without one.',
  ),
  saleId: SaleId.nullable().describe('The sale that its order key became.'),
  asks: AskedDetails.describe('Details that the merchant asked for when the intent was made.'),
  missingDetails: z
    .array(DetailKind)
    .describe(
      'Required details that checkout.saveDetails must still store: until then there are no transactions to sign.',
    ),
  detailsUpdatedAt: Timestamp.nullable().describe(
    'When the buyer last changed the details; null if none were given.',
  ),
  tx: TxRef.nullable().describe('The transaction that recorded the sale.'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp.describe('Without a transaction by then it expires; nothing was paid.'),
  cancelledAt: Timestamp.nullable().describe('When the buyer gave it up; null otherwise.'),
});

/** A purchase in progress, in a list: what is stored of it. */
export const IntentSummary = CheckoutIntent.omit({
  failure: true,
  transactions: true,
  submitted: true,
  order: true,
  saleId: true,
  tx: true,
  asks: true,
  missingDetails: true,
  detailsUpdatedAt: true,
}).extend({
  state: IntentState.describe('As it was last reconciled with the chain.'),
});

nameSchemas({
  CheckoutRefusal: Refusal,
  ShareView,
  MissedShare,
  BuyCall,
  CheckoutPreview,
  IntentState,
  CheckoutIntent,
  IntentSummary,
});

export type CheckoutPreview = z.infer<typeof CheckoutPreview>;
export type CheckoutIntent = z.infer<typeof CheckoutIntent>;
export type IntentSummary = z.infer<typeof IntentSummary>;
