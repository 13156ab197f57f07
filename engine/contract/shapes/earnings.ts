// Earnings of a distributor: every amount is one of the ledger's buckets (docs/how-it-works/settlement.md#buckets).
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Amount,
  CampaignId,
  CampaignState,
  ChainId,
  Count,
  NodeId,
  RewardState,
  SaleId,
  Timestamp,
} from '../values.ts';
import { MerchantRef, Token, TxRef } from './common.ts';
import { MissedAmount, MissedReward } from './receipt.ts';
import { RewardBuckets } from './totals.ts';
import { UnsignedTransaction } from './transaction.ts';

const campaign = {
  campaignId: CampaignId,
  campaignTitle: z.string().describe('Title of its product.'),
  token: Token,
};

/** Rewards of an account over all campaigns. */
export const EarningsSummary = z.strictObject({
  byToken: z
    .array(
      z.strictObject({
        token: Token,
        rewards: RewardBuckets,
        missed: Amount.describe('Rewards lost to caps and budgets, over all levels; base units.'),
        campaigns: Count.describe('Campaigns of this token with a conversion of the account.'),
        conversions: Count.describe('Sales of which the account has a level.'),
      }),
    )
    .describe('Amounts of different tokens are never added. Highest number of conversions first.'),
  links: Count.describe('Nodes that the account owns.'),
  claimableCampaigns: Count.describe('Campaigns in which something can be claimed now.'),
  nextReleaseAt: Timestamp.nullable().describe('When the next hold ends; null if there is none.'),
});

/** Rewards of an account in one campaign. */
export const CampaignEarnings = z.strictObject({
  ...campaign,
  state: CampaignState,
  merchant: MerchantRef,
  rewards: RewardBuckets,
  missed: Amount.describe('Rewards lost to caps and budgets, base units.'),
  links: Count.describe('Nodes that the account owns in it.'),
  conversions: Count.describe('Sales of which the account has a level.'),
  lastConversionAt: Timestamp.nullable(),
});

/** One level of one sale: an account that owns several nodes of a path has several. */
export const Conversion = z.strictObject({
  chainId: ChainId,
  saleId: SaleId,
  ...campaign,
  nodeId: NodeId.describe('The account’s node.'),
  level: z.int().min(1).max(5).describe('1 is the selling node.'),
  saleAmount: Amount.describe('Amount that the contract received, base units.'),
  share: Amount.describe('Reward that the sale gave the level, base units.'),
  reserved: Amount.describe('Still held, base units.'),
  released: Amount.describe('Released by refunds, base units.'),
  vested: Amount.describe('Vested by finalization, including what was reversed; base units.'),
  reversed: Amount.describe('Reversed, base units.'),
  state: RewardState,
  readyToFinalize: z.boolean().describe('Whether the hold is over and the sale not finalized.'),
  recordedAt: Timestamp.describe('Time of the sale’s block.'),
  holdUntil: Timestamp.describe('Time from which the sale can be finalized.'),
  finalizedAt: Timestamp.nullable(),
  missed: z.array(MissedAmount),
  tx: TxRef.describe('The transaction of the sale.'),
});

/** A reward that a cap cost the account. */
export const MissedEarning = z.strictObject({
  chainId: ChainId,
  saleId: SaleId,
  ...campaign,
  nodeId: NodeId,
  level: MissedReward.shape.level,
  reason: MissedReward.shape.reason
    .exclude(['DEPTH'])
    .describe('The cap that caused it. DEPTH, which has no amount, is only in receipts.'),
  amount: Amount.describe('Amount that this cap alone cost, base units.'),
  recordedAt: Timestamp.describe('Time of the sale’s block.'),
});

/** Rewards of a campaign that the account can claim, with the transactions. */
export const Claimable = z.strictObject({
  ...campaign,
  claimable: Amount.describe('Amount that claiming pays now, base units.'),
  readyToFinalize: Amount.describe('Amount that finalizing would add, base units.'),
  finalizeSaleIds: z.array(SaleId).max(100).describe('Sales to finalize, oldest first.'),
  claim: UnsignedTransaction.nullable().describe('claimRewards; null if nothing is claimable.'),
  finalize: UnsignedTransaction.nullable().describe('finalize of those sales; null without any.'),
});

/** A refund or reward that the token refused to pay, as it does for an address on a blocklist. */
export const Credit = z.strictObject({
  ...campaign,
  amount: Amount.describe('Amount that the account can withdraw from this campaign, base units.'),
  withdraw: UnsignedTransaction.nullable().describe('withdrawCredit; null without `to`.'),
});

/** A payment of rewards to the account. */
export const Claim = z.strictObject({
  ...campaign,
  amount: Amount.describe('Paid amount, base units.'),
  credited: z
    .boolean()
    .describe('Whether the token refused the payment: then it is, or was, one of the credits.'),
  at: Timestamp,
  tx: TxRef,
});

nameSchemas({
  EarningsSummary,
  CampaignEarnings,
  Conversion,
  MissedEarning,
  Claimable,
  Credit,
  Claim,
});
