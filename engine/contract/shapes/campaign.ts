// Campaigns in lists and in full.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  CampaignId,
  CampaignState,
  ChainId,
  Count,
  Hash32,
  pageOf,
  Timestamp,
  TrustMode,
  Uri,
} from '../values.ts';
import { MerchantRef, Product, ProductSummary, RewardPolicy, Token, TxRef } from './common.ts';

/** A campaign in a list. */
export const CampaignSummary = z.strictObject({
  campaignId: CampaignId,
  chainId: ChainId,
  contractAddress: Address,
  state: CampaignState,
  merchant: MerchantRef,
  product: ProductSummary,
  token: Token,
  price: z.string().describe('Price of the campaign’s own SKU, base units.'),
  policy: RewardPolicy.describe('The version in effect at the block read.'),
  rewardAvailable: Amount.describe('Unreserved part of the rewards vault, base units.'),
  rewardTotal: Amount.describe('Total of all deposits, base units.'),
  settledSales: Count.describe('Sales finalized and not reversed.'),
  onchainUrl: Uri.describe('Page in a block explorer; an EIP-681 URI if none is configured.'),
  rankReasons: z.array(z.string()).describe('Reasons for its place in the balanced order.'),
  inviteOnly: z.boolean().optional(),
  endsAt: Timestamp.optional().describe('No sale at or after it.'),
});

/** A page of campaigns, with their number. */
export const CampaignList = pageOf(CampaignSummary).extend({
  total: Count.describe('Campaigns that the filters match, over all pages.'),
});

const RewardLedger = z.strictObject({
  netDeposited: Amount,
  available: Amount,
  pendingReserved: Amount,
  vestedUnclaimed: Amount,
  rewardsClaimed: Amount,
  surplusWithdrawn: Amount,
});

const ProceedsLedger = z.strictObject({
  proceedsPending: Amount,
  proceedsClaimable: Amount,
  proceedsClaimed: Amount,
  buyerRefunded: Amount,
});

/** Number of sales in each state. */
export const SalesCounters = z.strictObject({
  pending: Count,
  finalized: Count.describe('Including reversed sales.'),
  refunded: Count,
});

/** A campaign with its ledgers, counts and settings. */
export const CampaignDetail = CampaignSummary.extend({
  inviteOnly: z.boolean(),
  endsAt: Timestamp.describe('No sale at or after it.'),
  product: Product,
  rewardLedger: RewardLedger.describe('netDeposited is the sum of the others, base units.'),
  proceedsLedger: ProceedsLedger.describe('Its sum is the total of the native sales, base units.'),
  creditOutstanding: Amount.describe(
    'Refunds and rewards that the token refused to pay: both ledgers count them as paid, the contract still holds them, and only the accounts that they are for can withdraw them. Base units.',
  ),
  startsAt: Timestamp.describe('No sale before it.'),
  counts: SalesCounters,
  nodeCount: Count,
  moderation: z.strictObject({ hidden: z.boolean(), reason: z.string().nullable() }),
  capacity: z.strictObject({ nodes: Count, sales: Count }).describe('Totals; 0 allows none.'),
  trustMode: TrustMode,
  creationTx: TxRef,
  fundingTxs: z.array(TxRef).describe('The newest 100, newest first.'),
  indexedAt: Timestamp.nullable().describe('When settlement last changed the campaign.'),
  metadataHash: Hash32.optional(),
  termsHash: Hash32.describe(
    'Names the campaign in transactions, because a reorg can give its id to another campaign.',
  ),
  salt: Hash32.describe('Chosen by the merchant; part of termsHash.'),
  nodesPerAccount: Count.describe('Number of nodes that one account may have.'),
});

nameSchemas({
  CampaignSummary,
  CampaignList,
  RewardLedger,
  ProceedsLedger,
  SalesCounters,
  CampaignDetail,
});
