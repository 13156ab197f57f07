import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { CampaignDetail } from '../shapes/campaign.ts';
import { Token, TxRef } from '../shapes/common.ts';
import { Period } from '../shapes/period.ts';
import { UnsignedTransaction } from '../shapes/transaction.ts';
import {
  Address,
  Amount,
  CampaignId,
  Count,
  pageOf,
  pageQuery,
  SaleId,
  Timestamp,
} from '../values.ts';

const { rewardLedger, proceedsLedger, creditOutstanding } = CampaignDetail.shape;

const Vault = z.strictObject({
  campaignId: CampaignId.nullable().describe('null where all campaigns are added up.'),
  byToken: z
    .array(
      z.strictObject({
        token: Token,
        campaigns: Count.describe('Campaigns that are added up.'),
        rewardLedger,
        proceedsLedger,
        creditOutstanding,
      }),
    )
    .describe('Amounts of different tokens are never added. Largest deposit first.'),
  actions: z
    .strictObject({
      claimProceeds: UnsignedTransaction.nullable().describe('null where there is nothing to pay.'),
      withdrawSurplus: UnsignedTransaction.nullable().describe('null before the campaign is over.'),
    })
    .nullable()
    .describe('What the merchant may sign for the one campaign; null for the sum of all.'),
});

const buckets = [
  ...(['available', 'pendingReserved', 'vestedUnclaimed', 'rewardsClaimed'] as const),
  ...(['surplusWithdrawn', 'proceedsPending', 'proceedsClaimable'] as const),
  ...(['proceedsClaimed', 'buyerRefunded', 'creditOutstanding'] as const),
] as const;

const kinds = [
  ...(['CampaignFunded', 'SurplusWithdrawn', 'SaleRecorded', 'RewardReleased'] as const),
  ...(['SaleRefunded', 'RewardVested', 'SaleFinalized', 'RewardReversed'] as const),
  ...(['RewardsClaimed', 'ProceedsClaimed', 'PaymentCredited', 'CreditWithdrawn'] as const),
] as const;

const Kind = z.enum(kinds).describe('The event that moved it.');
const Bucket = z.enum(buckets);

const Movement = z.strictObject({
  campaignId: CampaignId,
  sequence: Count.describe('Place of the event among its campaign’s events, from 1.'),
  kind: Kind,
  from: Bucket.nullable().describe('Amount of the ledgers it left; null from outside.'),
  to: Bucket.nullable().describe('Amount of the ledgers it came to; null to nobody’s.'),
  amount: Amount.describe('How much, base units.'),
  token: Token,
  account: Address.nullable().describe('Who gave or got it; null between the vault’s own parts.'),
  saleId: SaleId.nullable(),
  at: Timestamp,
  tx: TxRef,
});

export const vault = {
  get: defineMethod({
    name: 'vault.get',
    method: 'GET',
    path: '/v1/merchant/vault',
    access: 'session',
    availability: 'live',
    summary: 'The reward and proceeds ledgers of all campaigns of the caller, or of one.',
    input: {
      narrowed: {
        path: '/v1/merchant/campaigns/:campaignId/vault',
        params: z.strictObject({ campaignId: CampaignId }),
      },
    },
    output: Vault,
  }),
  movements: defineMethod({
    name: 'vault.movements',
    method: 'GET',
    path: '/v1/merchant/vault/movements',
    access: 'session',
    availability: 'live',
    summary: 'Every amount that came, went or moved within the vaults, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        kind: Kind.describe('Only what such events moved.').optional(),
        range: Period.describe('Only what moved in it.').optional(),
      }),
    },
    output: pageOf(Movement),
  }),
} as const;
