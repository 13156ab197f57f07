/** The referral graph: nodes, and the way from one up to its root. */
import { z } from 'zod';
import {
  Address,
  Amount,
  CampaignId,
  ChainId,
  NodeId,
  RewardState,
  SaleId,
  Timestamp,
  Weight,
} from '../values.ts';
import { TxRef } from './common.ts';
import { MissedReward } from './receipt.ts';

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

export const AncestryPage = z.strictObject({
  chainId: ChainId,
  campaignId: CampaignId,
  nodeId: NodeId,
  depth: z.int().min(1).describe('Nodes from it to the root, both included.'),
  maxRewardedAncestors: z.int().min(1).max(5).describe('Of the policy in effect.'),
  items: z.array(z.strictObject(node)),
  nextCursor,
});

export const SalePath = z.strictObject({
  chainId: ChainId,
  campaignId: CampaignId,
  saleId: SaleId,
  nodeId: NodeId.nullable().describe('The selling node; null for a direct sale.'),
  depth: z.int().min(0).describe('Nodes from it to the root; 0 for a direct sale.'),
  maxRewardedAncestors: z.int().min(1).max(5).describe('Of the policy of the sale.'),
  items: z.array(
    z.strictObject({
      ...node,
      share: Amount.nullable().describe(
        'What the sale gave it, base units; null beyond the levels.',
      ),
      state: RewardState.nullable(),
      missed: z.array(MissedReward.pick({ reason: true, amount: true })),
    }),
  ),
  nextCursor,
});
