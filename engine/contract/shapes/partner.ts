// Partners of a merchant, and invitations to become one.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  CampaignId,
  Count,
  Hash32,
  Id,
  NodeId,
  RewardState,
  SaleId,
  Timestamp,
} from '../values.ts';
import { SalesCounters } from './campaign.ts';
import { Token, TxRef } from './common.ts';
import { ranking, Visibility } from './distributor.ts';
import { AnalyticsPoint, RewardBuckets } from './totals.ts';

/** Fields of a partner that do not depend on the merchant. */
const Partner = z.strictObject({
  address: Address.nullable().describe('null if its owner does not link it to the handle.'),
  handle: z.string().nullable().describe('null unless its owner made it public.'),
  displayName: z.string().nullable().describe('null unless its owner made it public.'),
  pseudonym: z
    .string()
    .nullable()
    .describe(
      'Distinguishes accounts that hide their address, for this merchant alone; null otherwise.',
    ),
  visibility: Visibility,
  settledConversions: Count.nullable().describe(
    'Settled conversions over all merchants, as in distributors.list; null if hidden or not ranked yet.',
  ),
  merchantCount: Count.nullable().describe(
    'Different merchants of its settled conversions; null in the same cases.',
  ),
  categories: z.array(z.string()),
  lastSettledAt: Timestamp.nullable(),
  ...ranking,
  isPartner: z.boolean().describe('Whether it has a link in a campaign of the merchant.'),
  linkCount: Count.describe('Nodes that it owns in the merchant’s campaigns.'),
  directSales: Count.describe(
    'Settled sales that its own nodes made for the merchant. Purchases by the merchant or by owners of the path count here, and not in settledConversions.',
  ),
  networkSales: Count.describe(
    'Settled sales of nodes below its own that rewarded it, for the merchant; with the same purchases.',
  ),
  settledValue: Amount.describe('Total of its settled sales, base units of meta.token.'),
  rewards: RewardBuckets.describe('Rewards in the merchant’s campaigns, base units of meta.token.'),
  firstLinkAt: Timestamp.describe('When it first joined a campaign of the merchant.'),
});

/** Partners of a merchant, with totals. */
export const PartnerList = z.strictObject({
  items: z.array(Partner),
  nextCursor: z.string().nullable().describe('Pass it as cursor; null on the last page.'),
  summary: z
    .strictObject({
      partners: Count,
      sales: SalesCounters,
      value: Amount.describe('Total of the settled sales, base units of meta.token.'),
      series: z
        .array(AnalyticsPoint)
        .describe('The last 30 days in UTC, oldest first; a sale is in the day it was recorded.'),
    })
    .describe('Totals of all partners that the filters match, not only of this page.'),
});

/** A partner with its nodes, sales and rewards. */
export const PartnerDetail = z.strictObject({
  partner: Partner,
  nodes: z
    .array(
      z.strictObject({
        nodeId: NodeId,
        parentNodeId: NodeId.nullable().describe('null for a root.'),
        childCount: Count.describe('Nodes that joined directly under it.'),
      }),
    )
    .describe('The newest 100, newest first.'),
  sales: z
    .array(
      z.strictObject({
        saleId: CampaignId.describe('Id of a sale: a counter of the contract, or demo-….'),
        level: z.int().min(1).describe('1 is the selling node.'),
        amount: Amount.describe('Reward of the level, less what refunds released; base units.'),
        state: z.enum(['reserved', 'claimable', 'claimed', 'refunded', 'reversed']),
      }),
    )
    .describe('The newest 100, newest first; partners.sales has all.'),
  rewards: RewardBuckets,
});

/** A level of a sale that rewarded a partner. */
export const PartnerSale = z.strictObject({
  saleId: SaleId,
  campaignId: CampaignId,
  token: Token.describe('Token of the amounts.'),
  nodeId: NodeId.describe('The partner’s node.'),
  level: z.int().min(1).max(5).describe('1 is the selling node.'),
  saleAmount: Amount.describe('Amount that the contract received, base units.'),
  amount: Amount.describe('Reward of the level, less what refunds released; base units.'),
  state: RewardState,
  recordedAt: Timestamp.describe('Time of the sale’s block.'),
  tx: TxRef.describe('The transaction of the sale.'),
});

/** Status of an invitation. */
export const InvitationStatus = z
  .enum(['pending', 'accepted', 'declined', 'withdrawn', 'expired'])
  .describe('expired: it was not answered in time.');

/** An invitation of a distributor to a campaign. */
export const Invitation = z.strictObject({
  id: Id,
  distributor: Address,
  campaignId: CampaignId,
  merchantId: Id,
  message: z.string(),
  terms: z.string(),
  parentNodeId: CampaignId.nullable().describe(
    'Node to join under; always null: the distributor becomes a root.',
  ),
  policyHash: Hash32.describe('Hash of the policy in effect when it was sent.'),
  status: InvitationStatus,
  expiresAt: Timestamp,
  createdAt: Timestamp,
  withdrawnAt: Timestamp.nullable(),
});

nameSchemas({ Partner, PartnerList, PartnerDetail, PartnerSale, InvitationStatus, Invitation });
