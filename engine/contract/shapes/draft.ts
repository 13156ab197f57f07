/** Campaigns before they are on the chain, and the settings that stay off it. */
import { z } from 'zod';
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
import { RewardBuckets } from './figures.ts';
import {
  ChainAmountInput,
  CompletePolicy,
  PolicyDraft,
  PositiveAmountInput,
} from './policy-input.ts';
import { UnsignedTransaction } from './transaction.ts';

/** What a merchant plans. Any field may be missing until it is prepared. */
export const CampaignDraftInput = z.strictObject({
  version: z
    .int()
    .min(0)
    .describe('The version that was read; 0 for a new draft. Another one by now is a 409.'),
  name: textInput(100).describe('For the merchant alone.').optional(),
  productId: Id.describe('A product of the merchant’s.').optional(),
  token: Address.describe('What is paid, and what rewards are paid in.').optional(),
  price: PositiveAmountInput.describe('Of the product’s own SKU, base units.').optional(),
  startsAt: Timestamp.describe('No sale before it.').optional(),
  endsAt: Timestamp.describe('No sale at or after it.').optional(),
  nodeCapacity: Count.describe('Links in all; 0 allows none.').optional(),
  saleCapacity: Count.describe('Sales in all; 0 allows none.').optional(),
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

/** What a draft needs before it can be prepared; `policy` is missing until all of it is there. */
export const draftFields = [
  ...(['productId', 'token', 'price', 'startsAt', 'endsAt', 'nodeCapacity'] as const),
  ...(['saleCapacity', 'trustMode', 'policy', 'funding'] as const),
] as const;

/** A draft that lacks nothing. */
export const CompleteDraft = CampaignDraftInput.required(
  // `fromEntries` forgets the names of the fields, and zod wants them.
  Object.fromEntries(draftFields.map((field) => [field, true])) as {
    [F in (typeof draftFields)[number]]: true;
  },
).extend({ policy: CompletePolicy });

export const CampaignDraft = z.strictObject({
  id: Id,
  state: z
    .enum(['DRAFT_OFFCHAIN', 'PUBLISHED'])
    .describe('PUBLISHED: its campaign is in the ledger.'),
  campaignId: CampaignId.nullable().describe('The campaign that it became; null until then.'),
  draft: CampaignDraftInput,
  metadataHash: Hash32.nullable().describe('Links it to its campaign; null until prepared.'),
  missing: z.array(z.enum(draftFields)).describe('What it needs before it can be prepared.'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** All that a draft needs to get onto the chain. */
export const PreparedCampaign = z.strictObject({
  draftId: Id,
  metadataHash: Hash32.describe('Of the draft as prepared: CampaignCreated carries it.'),
  termsHash: Hash32.describe('Names the campaign in every transaction that follows.'),
  salt: Hash32.describe('Part of termsHash; the same whenever the draft is prepared.'),
  skuHash: Hash32.describe('Of the product.'),
  eligibilityHash: Hash32.describe('keccak-256 of regions and sharingRules.'),
  policyHash: Hash32.describe('keccak-256 of the policy, as the chain will register it.'),
  funding: Amount.describe('Rewards that the last transaction deposits, base units.'),
  transactions: z
    .array(
      z.strictObject({
        step: z
          .enum(['CREATE', 'APPROVE', 'FUND'])
          .describe('CREATE registers the policy, too; FUND follows once the campaign has its id.'),
        transaction: UnsignedTransaction.nullable().describe(
          'null where it needs the campaign’s id: prepare again once the campaign is in the ledger.',
        ),
      }),
    )
    .describe('To sign in this order.'),
});

export const CampaignSettingsInput = z.strictObject({
  name: textInput(100).nullable().describe('For the merchant alone; null empties.').optional(),
  note: textInput(2_000).nullable().describe('For the merchant alone; null empties.').optional(),
  listed: z
    .boolean()
    .describe('Whether lists of this service show it; the chain is not touched.')
    .optional(),
});

export const CampaignSettings = z.strictObject({
  campaignId: CampaignId,
  name: z.string().nullable(),
  note: z.string().nullable(),
  listed: z.boolean(),
  updatedAt: Timestamp.nullable().describe('null where they never changed.'),
});

/** A campaign or a draft of the merchant’s. */
export const OwnCampaign = z.strictObject({
  kind: z.enum(['campaign', 'draft']),
  state: CampaignState,
  campaign: CampaignSummary.nullable().describe('null for a draft.'),
  draft: CampaignDraft.nullable().describe('null for a campaign.'),
  settings: CampaignSettings.nullable().describe('null for a draft.'),
  counts: SalesCounters.nullable().describe('null for a draft.'),
});

/** Somebody who has links in the merchant’s campaign. */
export const CampaignDistributor = z.strictObject({
  address: Address.nullable().describe('null where the account is pseudonymous.'),
  handle: z.string().nullable(),
  allowed: z
    .boolean()
    .nullable()
    .describe('Whether the allow-list has the account; null where the campaign is open to all.'),
  linkCount: Count,
  firstJoinedAt: Timestamp,
  directSales: Count.describe('Sales by its own links.'),
  networkSales: Count.describe('Sales by links below them that rewarded it.'),
  settledSales: Count.describe('Of both, finalized and not reversed.'),
  rewards: RewardBuckets.describe('In this campaign, base units of its token.'),
  lastSaleAt: Timestamp.nullable(),
});
