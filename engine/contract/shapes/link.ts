// Links: nodes of the referral graph with the campaign that they sell for.
import { z } from 'zod';
import { riskCodes } from '../../core/risks.ts';
import { nameSchemas } from '../names.ts';
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
import { MerchantRef, NextPolicy, ProductSummary, Token, TxRef } from './common.ts';
import { RewardBuckets } from './totals.ts';
import { UnsignedTransaction } from './transaction.ts';

/** Referral code of a node (docs/reference/api.md#referral-codes). */
export const ReferralCode = z
  .string()
  .describe('Code of a node: base 32 (Crockford) with two check characters.');

/** The handle of an account that made it public. */
export const PublicHandle = z
  .string()
  .nullable()
  .describe('Handle of the account; null unless its owner made it public.');

/** The campaign of a link, as its visitors see it. */
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
  excludesSelfReferral: z
    .boolean()
    .describe('Whether the policy refuses sales to the owner of a node that they reward.'),
  trustMode: TrustMode,
  inviteOnly: z.boolean(),
  startsAt: Timestamp.describe('No sale before it.'),
  endsAt: Timestamp.describe('No sale at or after it.'),
  hidden: z.boolean().describe('True if an operator removed it from the lists.'),
  rewardAvailable: Amount.describe('Unreserved part of the rewards vault, base units.'),
  salesCovered: Amount.nullable().describe(
    'Sales at the current price that it rewards in full; null without a limit.',
  ),
  nextPolicy: NextPolicy.nullable().describe(
    'The next scheduled version of the policy; null without one.',
  ),
  onchainUrl: Uri.describe('Page in a block explorer; an EIP-681 URI if none is configured.'),
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

/** A node with its campaign and public counters. */
export const Link = z.strictObject({
  ...node,
  childCount: Count.describe('Nodes that joined directly under it.'),
  sales: SalesCounters.describe('Sales that the node itself made.'),
  campaign: LinkCampaign,
});

/** Label of a link. */
export const LinkLabel = z
  .string()
  .nullable()
  .describe('Name that its owner gave it, for the owner alone; null without one.');

/** A link of the caller. */
export const OwnLink = Link.extend({
  label: LinkLabel,
  networkSales: Count.describe('Settled sales of nodes below it that rewarded it.'),
  opens: Count.describe('Times the link was opened.'),
  rewards: RewardBuckets.describe('Rewards of the caller in the campaign, for all its nodes.'),
});

/** The link that a referral code names. */
export const Referral = z.strictObject({
  code: ReferralCode.describe('In its canonical spelling.'),
  link: Link,
  open: z
    .boolean()
    .describe('Whether the campaign takes sales at the block read, here or elsewhere (trustMode).'),
  closedReason: z
    .enum([
      ...(['not_started', 'not_funded', 'paused', 'ended', 'expired'] as const),
      ...(['sold_out', 'hidden', 'merchant_closed'] as const),
    ])
    .nullable()
    .describe('Why it takes no sales; null if it does.'),
});

/** A visit of a link, to be counted. */
export const ReferralOpen = z.strictObject({
  code: ReferralCode.describe('In its canonical spelling.'),
  nodeId: NodeId,
  campaignId: CampaignId,
  counted: z.boolean().describe('false if the daily limit of this visitor or link is reached.'),
});

const ExampleLevel = z.strictObject({
  level: z.int().min(1).max(5),
  weightBps: Weight,
  exampleReward: Amount.describe('Reward of a sale at the current price without caps; base units.'),
});

const ExampleLevels = z
  .array(ExampleLevel)
  .describe('Reward of each level for a sale of the new node, which is level 1.');

const Risk = z.strictObject({
  code: z.enum(riskCodes).describe('Name of the risk.'),
  by: z.enum(['merchant', 'anyone']).describe('Who can do it.'),
  text: z.string().describe('What that account can do, as a sentence without its subject.'),
});

/** A preview of joining a campaign, with the transaction to sign. */
export const JoinPreview = z.strictObject({
  campaign: LinkCampaign,
  parent: Link.nullable().describe('The node to join under; null to become a root.'),
  depth: z.int().min(1).describe('Depth of the new node; 1 for a root.'),
  eligible: z.boolean().describe('Whether the caller may join at the block read.'),
  reasons: z
    .array(z.enum(['not_allowed', 'paused', 'ended', 'expired', 'capacity_full', 'account_full']))
    .describe('Why not; empty if eligible.'),
  ownNodes: z.array(NodeId).describe('Nodes that the caller has in it already, 100 at most.'),
  nodesLeft: Count.describe('Nodes that may still join.'),
  levels: ExampleLevels,
  nextLevels: ExampleLevels.nullable().describe(
    'The same by campaign.nextPolicy; null without one.',
  ),
  risks: z
    .array(Risk)
    .describe('What others can do to the rewards of the new node (docs/use/trust-modes.md).'),
  transaction: UnsignedTransaction.nullable().describe('join, unsigned; null if ineligible.'),
});

/** Visits, sales and joins of a link by day. */
export const LinkStats = z.strictObject({
  nodeId: NodeId,
  campaignId: CampaignId,
  period: z.strictObject({ from: Timestamp, to: Timestamp }),
  series: z
    .array(
      z.strictObject({
        at: Timestamp.describe('Midnight UTC at which the day begins.'),
        opens: Count.describe('Times the link was opened.'),
        visitors: Count.describe('Estimated number of different visitors of the day.'),
        sales: SalesCounters,
        value: Amount.describe('Value of the settled sales, base units of the campaign’s token.'),
        joins: Count.describe('Nodes that joined directly under it.'),
      }),
    )
    .describe('Days in UTC, oldest first.'),
  totals: z.strictObject({
    opens: Count,
    visitors: Count.describe('Total of the days: a visitor of two days counts twice.'),
    sales: SalesCounters,
    value: Amount.describe('Value of the settled sales, base units of the campaign’s token.'),
    joins: Count,
  }),
  asOfBlock: BlockNumber,
});

nameSchemas({
  ReferralCode,
  LinkCampaign,
  Link,
  OwnLink,
  Referral,
  ReferralOpen,
  ExampleLevel,
  Risk,
  JoinPreview,
  LinkStats,
});
