// Campaigns before they are on the chain, and their settings that are not on it.
import { z } from 'zod';
import { Issue } from '../envelope.ts';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  CampaignId,
  CampaignState,
  Count,
  Hash32,
  Id,
  Timestamp,
  TrustMode,
  textInput,
} from '../values.ts';
import { CampaignSummary, SalesCounters } from './campaign.ts';
import {
  ChainAmountInput,
  CompletePolicy,
  PolicyDraft,
  PositiveAmountInput,
} from './policy-input.ts';
import { TokenWarning } from './token-warning.ts';
import { RewardBuckets } from './totals.ts';
import { UnsignedTransaction } from './transaction.ts';

/** A campaign that a merchant plans. Any field may be missing until it is prepared. */
export const CampaignDraftInput = z.strictObject({
  version: z
    .int()
    .min(0)
    .describe('The version read; 0 for a new draft. 409 if it has changed since.'),
  name: textInput(100).describe('Visible to the merchant only.').optional(),
  productId: Id.describe('A product of the merchant’s.').optional(),
  token: Address.describe('Token of prices and rewards.').optional(),
  price: PositiveAmountInput.describe('Price of the product’s own SKU, base units.').optional(),
  startsAt: Timestamp.describe('No sale before it.').optional(),
  endsAt: Timestamp.describe('No sale at or after it.').optional(),
  nodeCapacity: Count.describe('Largest number of links; 0 allows none.').optional(),
  saleCapacity: Count.describe('Largest number of sales; 0 allows none.').optional(),
  trustMode: TrustMode.optional(),
  nodesPerAccount: z
    .int()
    .min(1)
    .max(4_294_967_295)
    .describe('Links that one account may have; default 25.')
    .optional(),
  salt: Hash32.describe(
    'Part of termsHash, which names the campaign in transactions; default: chosen at random when the draft is first prepared.',
  ).optional(),
  inviteOnly: z.boolean().describe('Only allowed accounts may join; default false.').optional(),
  policy: PolicyDraft.optional(),
  funding: ChainAmountInput.describe('Rewards to deposit at the start, base units.').optional(),
});

/** Fields that a draft needs before it can be prepared; `policy` counts as missing until it is complete. */
export const draftFields = [
  ...(['productId', 'token', 'price', 'startsAt', 'endsAt', 'nodeCapacity'] as const),
  ...(['saleCapacity', 'trustMode', 'policy', 'funding'] as const),
] as const;

/** A draft that has all fields. */
export const CompleteDraft = CampaignDraftInput.required(
  // `fromEntries` forgets the names of the fields, and zod wants them.
  Object.fromEntries(draftFields.map((field) => [field, true])) as {
    [F in (typeof draftFields)[number]]: true;
  },
).extend({ policy: CompletePolicy });

/** A draft of a campaign, as its merchant reads it. */
export const CampaignDraft = z.strictObject({
  id: Id,
  state: z
    .enum(['DRAFT_OFFCHAIN', 'PUBLISHED'])
    .describe('PUBLISHED: its campaign is in the ledger.'),
  campaignId: CampaignId.nullable().describe('The campaign that it became; null until then.'),
  draft: CampaignDraftInput,
  metadataHash: Hash32.nullable().describe('Links it to its campaign; null until prepared.'),
  missing: z.array(z.enum(draftFields)).describe('Fields that it needs before it can be prepared.'),
  issues: z
    .array(Issue)
    .describe(
      'Why prepareCreate would refuse it at the settled block, the missing fields among them; empty if it is ready or published.',
    ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** A draft's hashes, and the transactions that publish it on the chain. */
export const PreparedCampaign = z.strictObject({
  draftId: Id,
  metadataHash: Hash32.describe('Hash of the prepared draft; CampaignCreated carries it.'),
  termsHash: Hash32.describe('Names the campaign in every transaction that follows.'),
  salt: Hash32.describe('Part of termsHash; the same whenever the draft is prepared.'),
  skuHash: Hash32.describe('SKU of the product.'),
  eligibilityHash: Hash32.describe('keccak-256 of regions and sharingRules.'),
  policyHash: Hash32.describe('keccak-256 of the policy, as the chain will register it.'),
  funding: Amount.describe('Rewards that the last transaction deposits, base units.'),
  warnings: z
    .array(TokenWarning)
    .describe('What the token can do to the campaign, the most harmful first.'),
  transactions: z
    .array(
      z.strictObject({
        step: z
          .enum(['CREATE', 'RESET_ALLOWANCE', 'APPROVE', 'FUND'])
          .describe('CREATE registers the policy, too; FUND follows once the campaign has its id.'),
        transaction: UnsignedTransaction.nullable().describe(
          'null if it needs the campaign’s id: prepare again once the campaign is in the ledger.',
        ),
      }),
    )
    .describe('Transactions to sign, in this order.'),
});

/** Changes of a campaign's settings. */
export const CampaignSettingsInput = z.strictObject({
  name: textInput(100)
    .nullable()
    .describe('Visible to the merchant only; null empties it.')
    .optional(),
  note: textInput(2_000)
    .nullable()
    .describe('Visible to the merchant only; null empties it.')
    .optional(),
  listed: z
    .boolean()
    .describe('Whether lists of this service show it; the chain does not change.')
    .optional(),
  oneSignature: z
    .boolean()
    .describe('Whether buyers may pay with one signature, if the service has a relayer.')
    .optional(),
});

/** Settings of a campaign that are not on the chain. */
export const CampaignSettings = z.strictObject({
  campaignId: CampaignId,
  name: z.string().nullable(),
  note: z.string().nullable(),
  listed: z.boolean(),
  oneSignature: z.boolean().describe('Buyers may pay with one signature.'),
  updatedAt: Timestamp.nullable().describe('null if they were never changed.'),
});

/** A campaign or a draft of the merchant. */
export const OwnCampaign = z.strictObject({
  kind: z.enum(['campaign', 'draft']),
  state: CampaignState,
  campaign: CampaignSummary.nullable().describe('null for a draft.'),
  draft: CampaignDraft.nullable().describe('null for a campaign.'),
  settings: CampaignSettings.nullable().describe('null for a draft.'),
  counts: SalesCounters.nullable().describe('null for a draft.'),
});

/** An account that has links in the merchant's campaign. */
export const CampaignDistributor = z.strictObject({
  address: Address.nullable().describe('null if the account is pseudonymous.'),
  handle: z.string().nullable(),
  pseudonym: z
    .string()
    .nullable()
    .describe(
      'Distinguishes accounts that hide their address, for this merchant alone; null otherwise.',
    ),
  allowed: z
    .boolean()
    .nullable()
    .describe('Whether the allow-list has the account; null if the campaign is open to all.'),
  linkCount: Count,
  firstJoinedAt: Timestamp,
  directSales: Count.describe('Settled sales that its own nodes made.'),
  networkSales: Count.describe('Settled sales of nodes below its own that rewarded it.'),
  recordedSales: Count.describe('Sales that rewarded it, in whatever state they are.'),
  rewards: RewardBuckets.describe('Rewards in this campaign, base units of its token.'),
  lastSaleAt: Timestamp.nullable(),
});

nameSchemas({
  CampaignDraftInput,
  CampaignDraft,
  PreparedCampaign,
  CampaignSettingsInput,
  CampaignSettings,
  OwnCampaign,
  CampaignDistributor,
});
