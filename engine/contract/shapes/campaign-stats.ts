// Totals of one campaign, and its history.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, Amount, CampaignId, Count, NodeId, SaleId, Timestamp } from '../values.ts';
import { Token } from './common.ts';
import { ReceiptEvent } from './receipt.ts';
import { RewardBuckets } from './totals.ts';

/** Totals of one campaign. */
export const CampaignStats = z.strictObject({
  campaignId: CampaignId,
  token: Token.describe('All amounts are its base units.'),
  sales: z.strictObject({
    recorded: Count.describe('All sales: the sum of the four states.'),
    pending: Count,
    settled: Count.describe('Finalized and not reversed.'),
    refunded: Count.describe('Refunded in full.'),
    reversed: Count,
    direct: Count.describe('Recorded without a referral.'),
    referred: Count.describe('Recorded through a node.'),
  }),
  value: z.strictObject({
    recorded: Amount.describe('Total of all sales, base units.'),
    settled: Amount.describe('Total of settled sales less their refunds, base units.'),
    refunded: Amount.describe('Refunded to buyers, in part or in full; base units.'),
  }),
  rewards: RewardBuckets.describe('Total of all accounts.'),
  levels: z
    .array(
      z.strictObject({
        level: z.int().min(1).describe('1 is the selling node.'),
        sales: Count.describe('Sales that rewarded the level.'),
        shares: Amount.describe('Rewards of the level before refunds and reversals, base units.'),
      }),
    )
    .describe('By level, those that a sale reached.'),
  buyers: Count.describe('Different accounts that bought.'),
  nodes: Count.describe('Referral links.'),
  distributors: Count.describe('Different accounts that own a link.'),
  sellingNodes: Count.describe('Links that sold.'),
  medianSecondsToFinalize: z
    .number()
    .min(0)
    .nullable()
    .describe('Median of seconds from recording to finalization; null without finalized sales.'),
  firstSaleAt: Timestamp.nullable(),
  lastSaleAt: Timestamp.nullable(),
});

/** One event of a campaign, as a list shows it. */
export const CampaignActivity = ReceiptEvent.extend({
  name: z.string().describe('The contract’s event: SaleRecorded, NodeJoined, …'),
  saleId: SaleId.nullable().describe('null if it is about no sale.'),
  nodeId: NodeId.nullable().describe('null if it is about no node, or a sale without a link.'),
  account: Address.nullable().describe(
    'Account that funded, joined, bought, was allowed, or is paid; null if the event names none.',
  ),
  amount: Amount.nullable().describe('Amount moved, or price, base units; null if none.'),
});

nameSchemas({ CampaignStats, CampaignActivity });
