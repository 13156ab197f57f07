// The referral graph: nodes, and the path from one up to its root.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  CampaignId,
  ChainId,
  Count,
  NodeId,
  RewardState,
  SaleId,
  Timestamp,
  Weight,
} from '../values.ts';
import { SalesCounters } from './campaign.ts';
import { TxRef } from './common.ts';
import { PublicHandle, ReferralCode } from './link.ts';
import { MissedAmount } from './receipt.ts';

const node = {
  nodeId: NodeId,
  parentNodeId: NodeId.nullable().describe('null for a root.'),
  owner: Address.describe('The account that joined; receives the node’s rewards.'),
  depth: z.int().min(1).describe('1 for a root.'),
  level: z.int().min(1).describe('1 is the first node of the path, 2 its parent.'),
  joinedAt: Timestamp,
  tx: TxRef.describe('The transaction that joined.'),
  weightBps: Weight.nullable().describe('The policy’s weight of the level; null beyond them.'),
};

const nextCursor = z.string().nullable().describe('Pass it as cursor; null on the last page.');

/** A node and its ancestors up to the root. */
export const AncestryPage = z.strictObject({
  chainId: ChainId,
  campaignId: CampaignId,
  nodeId: NodeId,
  depth: z.int().min(1).describe('Nodes from it to the root, both included.'),
  maxRewardedAncestors: z.int().min(1).max(5).describe('Limit of the policy in effect.'),
  items: z.array(z.strictObject(node)),
  nextCursor,
});

/** The path of a sale up to the root, with the reward of each level. */
export const SalePath = z.strictObject({
  chainId: ChainId,
  campaignId: CampaignId,
  saleId: SaleId,
  nodeId: NodeId.nullable().describe('The selling node; null for a sale without a link.'),
  depth: z.int().min(0).describe('Nodes from it to the root; 0 for a sale without a link.'),
  maxRewardedAncestors: z.int().min(1).max(5).describe('Limit of the policy of the sale.'),
  items: z.array(
    z.strictObject({
      ...node,
      share: Amount.nullable().describe('Reward, base units; null beyond the levels.'),
      state: RewardState.nullable(),
      missed: z.array(MissedAmount),
    }),
  ),
  nextCursor,
});

/** A node as the graph shows it. */
export const GraphNode = z.strictObject({
  nodeId: NodeId,
  parentNodeId: NodeId.nullable().describe('null for a root.'),
  depth: z.int().min(1).describe('1 for a root of the campaign.'),
  owner: Address.describe('The account that joined; receives the node’s rewards.'),
  ownerHandle: PublicHandle,
  code: ReferralCode.nullable().describe('null for a node that was never on a chain.'),
  childCount: Count.describe('Nodes that joined directly under it, on this page or not.'),
  sales: SalesCounters.describe('Sales that the node itself made.'),
  joinedAt: Timestamp,
  tx: TxRef.describe('The transaction that joined.'),
});

/** A page of a campaign's referral graph. */
export const CampaignGraph = z.strictObject({
  chainId: ChainId,
  campaignId: CampaignId,
  rootNodeId: NodeId.nullable().describe('Where it begins; null for all roots.'),
  depthMax: z.int().min(1).describe('Number of levels that were read, including that of the root.'),
  nodeCount: Count.describe('Nodes of the whole campaign.'),
  items: z.array(GraphNode).describe('By depth, then by id: a parent before its children.'),
  nextCursor,
});

/** Nodes that a search found. */
export const GraphMatches = z.strictObject({
  chainId: ChainId,
  campaignId: CampaignId,
  items: z.array(
    GraphNode.extend({
      matched: z.enum(['nodeId', 'code', 'owner']).describe('Field that matches the text.'),
    }),
  ),
  nextCursor,
});

/** The caller's own nodes, each with the nodes under it. */
export const OwnGraph = z.strictObject({
  chainId: ChainId,
  items: z.array(
    GraphNode.extend({
      campaignId: CampaignId,
      own: z.boolean().describe('false for a node under one of the caller’s.'),
      level: z.int().min(1).describe('1 for an own node, 2 for its children, and so on.'),
    }),
  ),
  nextCursor,
});

nameSchemas({
  AncestryPage,
  SalePath,
  GraphNode,
  CampaignGraph,
  GraphMatches,
  OwnGraph,
});
