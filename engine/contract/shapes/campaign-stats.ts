/** What the ledger adds up for one campaign, and its history. */
import { z } from 'zod';
import { Address, Amount, CampaignId, Count, NodeId, SaleId, Timestamp } from '../values.ts';
import { Token } from './common.ts';
import { RewardBuckets } from './figures.ts';
import { ReceiptEvent } from './receipt.ts';

export const CampaignStats = z.strictObject({
  campaignId: CampaignId,
  token: Token.describe('All amounts are its base units.'),
  sales: z.strictObject({
    recorded: Count.describe('All: the sum of the four below.'),
    pending: Count,
    settled: Count.describe('Finalized and not reversed.'),
    refunded: Count.describe('Given back in whole.'),
    reversed: Count,
    direct: Count.describe('Recorded without a referral.'),
    referred: Count.describe('Recorded through a node.'),
  }),
  value: z.strictObject({
    recorded: Amount.describe('Amounts of all sales, base units.'),
    settled: Amount.describe('Of settled sales less their refunds, base units.'),
    refunded: Amount.describe('Given back to buyers, in part or whole; base units.'),
  }),
  rewards: RewardBuckets.describe('Of all accounts together.'),
  levels: z
    .array(
      z.strictObject({
        level: z.int().min(1).describe('1 is the selling node.'),
        sales: Count.describe('Sales that rewarded the level.'),
        shares: Amount.describe('What sales gave it, before refunds and reversals; base units.'),
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
    .describe('Median of seconds from recording to finalization; null where nothing was.'),
  firstSaleAt: Timestamp.nullable(),
  lastSaleAt: Timestamp.nullable(),
});

/** One event of a campaign, with what a list shows of it. */
export const CampaignActivity = ReceiptEvent.extend({
  name: z.string().describe('As the contract names the event: SaleRecorded, NodeJoined, …'),
  saleId: SaleId.nullable().describe('null where it is about no sale.'),
  nodeId: NodeId.nullable().describe('null where it is about no node, or a direct sale.'),
  account: Address.nullable().describe(
    'Who funded, joined, bought, was allowed, or gets the money; null where nobody is named.',
  ),
  amount: Amount.nullable().describe('What moved or was priced, base units; null where nothing.'),
});
