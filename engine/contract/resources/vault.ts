import { z } from 'zod';
import { get, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { CampaignDetail } from '../shapes/campaign.ts';
import { Token, TxRef } from '../shapes/common.ts';
import { Period } from '../shapes/period.ts';
import { UnsignedTransaction } from '../shapes/transaction.ts';
import {
  Address,
  Amount,
  AtBlock,
  CampaignId,
  Count,
  pageOf,
  pageQuery,
  SaleId,
  Timestamp,
} from '../values.ts';

const asOf = { atBlock: AtBlock.optional() };

const { rewardLedger, proceedsLedger, creditOutstanding } = CampaignDetail.shape;

const Vault = z.strictObject({
  campaignId: CampaignId.nullable().describe('null for the total of all campaigns.'),
  byToken: z
    .array(
      z.strictObject({
        token: Token,
        campaigns: Count.describe('Number of campaigns in the total.'),
        rewardLedger,
        proceedsLedger,
        proceedsReady: Amount.describe(
          'Part of proceedsPending whose hold is over: finalizing makes it claimable. Base units.',
        ),
        creditOutstanding,
      }),
    )
    .describe('Amounts of different tokens are never added. Largest deposit first.'),
  actions: z
    .strictObject({
      finalize: UnsignedTransaction.nullable().describe(
        'finalize of those sales; null if none is due. operations.finalize prepares it for chosen sales.',
      ),
      finalizeSaleIds: z
        .array(SaleId)
        .max(100)
        .describe('Sales to finalize, the longest due first, without those under a dispute.'),
      claimProceeds: UnsignedTransaction.nullable().describe(
        'null if nothing is claimable: operations.finalize makes proceedsReady claimable.',
      ),
      withdrawSurplus: UnsignedTransaction.nullable().describe(
        'null without a surplus, and before the campaign is over: at endsAt, or earlier by operations.end.',
      ),
    })
    .nullable()
    .describe(
      'Transactions for the merchant to sign; null for the total of all, and with atBlock.',
    ),
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
  sequence: Count.describe('Number of the event among its campaign’s events, from 1.'),
  kind: Kind,
  from: Bucket.nullable().describe('Bucket that it left; null if it came from outside.'),
  to: Bucket.nullable().describe('Bucket that it entered; null if it left the ledgers.'),
  amount: Amount.describe('How much, base units.'),
  token: Token,
  account: Address.nullable().describe('Account that paid or received it; null inside the vault.'),
  saleId: SaleId.nullable(),
  at: Timestamp,
  tx: TxRef,
});

nameSchemas({ Vault, VaultMovementKind: Kind, VaultMovement: Movement });

/** Methods for ledgers of the signed-in merchant. */
export const vault = resource('vault', {
  about: 'Reward and proceeds ledgers of a merchant.',
  caller: 'viewer',
})({
  get: get('/v1/merchant/vault', {
    summary: 'The reward and proceeds ledgers of all campaigns of the caller, or of one.',
    input: {
      query: z.strictObject(asOf),
      narrowed: {
        path: '/v1/merchant/campaigns/:campaignId/vault',
        params: z.strictObject({ campaignId: CampaignId }),
      },
    },
    output: Vault,
  }),
  movements: get('/v1/merchant/vault/movements', {
    summary: 'Every movement into, out of and within the vaults, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        ...asOf,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        kind: Kind.describe('Only movements of this event.').optional(),
        range: Period.describe('Only movements in it.').optional(),
      }),
    },
    output: pageOf(Movement),
  }),
});
