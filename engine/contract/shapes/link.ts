/** A link: a node of the referral graph with the campaign that it sells for. */
import { z } from 'zod';
import {
  Address,
  Amount,
  BlockNumber,
  CampaignId,
  CampaignState,
  ChainId,
  Count,
  NodeId,
  Timestamp,
  TrustMode,
  Uri,
  Weight,
} from '../values.ts';
import { SalesCounters } from './campaign.ts';
import { MerchantRef, ProductSummary, Token, TxRef } from './common.ts';
import { RewardBuckets } from './figures.ts';
import { UnsignedTransaction } from './transaction.ts';

export const ReferralCode = z
  .string()
  .describe('Code of a node: base 32 (Crockford) with two check characters.');

/** The handle of an account that made it public. */
export const PublicHandle = z
  .string()
  .nullable()
  .describe('Of the account, where its owner made it public; null otherwise.');

/** What a visitor of a link needs to know about the campaign. */
export const LinkCampaign = z.strictObject({
  campaignId: CampaignId,
  state: CampaignState,
  merchant: MerchantRef,
  product: ProductSummary,
  token: Token,
  price: Amount.describe('Price of the campaign’s own SKU, base units.'),
  commissionBps: z.int().min(1).max(10_000).describe('Reward of a sale, basis points.'),
  maxRewardedAncestors: z.int().min(1).max(5).describe('Rewarded levels of a path.'),
  holdSeconds: z.int().min(60).max(7_776_000).describe('Seconds that a reward is held.'),
  trustMode: TrustMode,
  inviteOnly: z.boolean(),
  startsAt: Timestamp.describe('No sale before it.'),
  endsAt: Timestamp.describe('No sale at or after it.'),
  hidden: z.boolean().describe('Taken out of lists by an operator.'),
  onchainUrl: Uri.describe('In a block explorer; an EIP-681 URI where none is configured.'),
});

const node = {
  chainId: ChainId,
  nodeId: NodeId,
  code: ReferralCode.nullable().describe('null for a node that was never on a chain.'),
  parentNodeId: NodeId.nullable().describe('null for a root.'),
  depth: z.int().min(1).describe('1 for a root.'),
  owner: Address.describe('The account that joined; receives the node’s rewards.'),
  ownerHandle: PublicHandle,
  joinedAt: Timestamp,
  tx: TxRef.describe('The transaction that joined.'),
};

export const Link = z.strictObject({
  ...node,
  childCount: Count.describe('Nodes that joined directly under it.'),
  sales: SalesCounters.describe('Sales that the node itself made.'),
  campaign: LinkCampaign,
});

/** A link of the one who asks. */
export const OwnLink = Link.extend({
  networkSales: Count.describe('Settled sales below it of which it has a rewarded level.'),
  opens: Count.describe('Times the link was opened.'),
  rewards: RewardBuckets.describe('Of the caller in the campaign, all its nodes together.'),
});

export const Referral = z.strictObject({
  code: ReferralCode.describe('In its canonical spelling.'),
  link: Link,
  open: z.boolean().describe('Whether the campaign takes sales at the block read.'),
  closedReason: z
    .enum(['not_started', 'not_funded', 'paused', 'ended', 'expired'])
    .nullable()
    .describe('Why it takes none; null where it does.'),
});

export const ReferralOpen = z.strictObject({
  code: ReferralCode.describe('In its canonical spelling.'),
  nodeId: NodeId,
  campaignId: CampaignId,
  counted: z.boolean().describe('false where the day’s count of this visitor or link is full.'),
});

/** What joining would be, before a wallet opens. */
export const JoinPreview = z.strictObject({
  campaign: LinkCampaign,
  parent: Link.nullable().describe('The node to join under; null to become a root.'),
  depth: z.int().min(1).describe('That the new node would have; 1 for a root.'),
  eligible: z.boolean().describe('Whether the caller may join at the block read.'),
  reasons: z
    .array(z.enum(['not_allowed', 'paused', 'ended', 'expired', 'capacity_full', 'account_full']))
    .describe('Why not; empty where eligible.'),
  ownNodes: z.array(NodeId).describe('Nodes that the caller has in it already, 100 at most.'),
  nodesLeft: Count.describe('Nodes that may still join.'),
  levels: z
    .array(
      z.strictObject({
        level: z.int().min(1).max(5),
        weightBps: Weight,
        exampleReward: Amount.describe('Of one sale at today’s price, caps aside; base units.'),
      }),
    )
    .describe('What a sale of the new node would give each level, level 1 being it.'),
  transaction: UnsignedTransaction.nullable().describe('join, unsigned; null where ineligible.'),
});

export const LinkStats = z.strictObject({
  nodeId: NodeId,
  campaignId: CampaignId,
  period: z.strictObject({ from: Timestamp, to: Timestamp }),
  series: z
    .array(
      z.strictObject({
        at: Timestamp.describe('Midnight UTC at which the day begins.'),
        opens: Count.describe('Times the link was opened.'),
        visitors: Count.describe('Different visitors of the day, as far as can be told.'),
        sales: SalesCounters,
        value: Amount.describe('Value of the settled sales, base units of the campaign’s token.'),
        joins: Count.describe('Nodes that joined directly under it.'),
      }),
    )
    .describe('Days in UTC, oldest first.'),
  totals: z.strictObject({
    opens: Count,
    visitors: Count.describe('Sum over the days: one who comes on two days counts twice.'),
    sales: SalesCounters,
    value: Amount.describe('Value of the settled sales, base units of the campaign’s token.'),
    joins: Count,
  }),
  asOfBlock: BlockNumber,
});
