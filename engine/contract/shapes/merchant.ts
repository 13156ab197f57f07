// Merchants: their profiles, and their track records from the ledger.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, Amount, Count, Id, nameInput, Timestamp, textInput, Uri } from '../values.ts';
import { MediaItem, MerchantRef, Token } from './common.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A merchant in a path: by slug, or by address, because it may have no profile. */
export const MerchantKey = z
  .string()
  .regex(
    /^(?:[a-z0-9][a-z0-9-]{0,62}|0x[0-9a-fA-F]{40})$/,
    'must be a slug, or 0x and 40 hex digits',
  )
  .describe('Slug of a profile, present or earlier, or address of the account that sells.');

/** A slug that a merchant chooses. It must not look like an address, which could be another's. */
export const SlugInput = z
  .string()
  .regex(SLUG, 'must be 1 to 63 lower-case letters, digits and hyphens, no hyphen first')
  .refine((slug) => !ADDRESS.test(slug), 'must not be an address')
  .describe('1 to 63 lower-case letters, digits and hyphens; unique.');

const WebUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/** A web address in a request. */
const WebUrlInput = WebUrl.max(2_048).describe('http or https, at most 2048 characters.');

const profileText = {
  description: z.string().describe('In the merchant’s words; empty if it has none.'),
  websiteUrl: Uri.nullable(),
  supportEmail: z.string().nullable().describe('Address for buyers to write to.'),
  logo: MediaItem.nullable(),
};

/** A merchant's public profile. */
export const MerchantProfile = z.strictObject({
  id: Id.describe('Its address if it has no profile.'),
  slug: z
    .string()
    .describe(
      'The present one, also if an earlier one was asked for; its address without a profile.',
    ),
  name: z.string().describe('Its address, shortened, if it has no profile here.'),
  address: Address.describe('The account that creates its campaigns.'),
  profiled: z.boolean().describe('false: known from the chain alone.'),
  ...profileText,
  status: z.enum(['active', 'closed']).describe('closed: sells no more through this service.'),
  createdAt: Timestamp.nullable().describe('When the profile was made; null if there is none.'),
  campaignCount: Count.describe('Campaigns that it created on the chain.'),
  liveCampaignCount: Count.describe('Those that take sales at the block read.'),
});

/** A merchant in a list. */
export const MerchantSummary = z.strictObject({
  ...MerchantRef.shape,
  logo: MediaItem.nullable(),
  createdAt: Timestamp.describe('When the profile was made.'),
  campaigns: Count.describe('Listed campaigns, in whatever state.'),
  liveCampaigns: Count.describe('Those of them that take sales at the block read.'),
  sales: Count.describe('Sales of all its campaigns, in whatever state.'),
  settledSales: Count.describe('Sales finalized and not reversed.'),
});

/** A merchant's profile as the merchant sees it. */
export const OwnMerchant = MerchantProfile.omit({
  campaignCount: true,
  liveCampaignCount: true,
}).extend({
  createdAt: Timestamp,
  updatedAt: Timestamp,
  closedAt: Timestamp.nullable(),
});

const name = nameInput.describe('1 to 100 characters; unique, and free of control characters.');
const about = {
  description: textInput(5_000).describe('At most 5000 characters.').optional(),
  websiteUrl: WebUrlInput.nullable().optional(),
  supportEmail: z.email().max(254).nullable().optional(),
};

/** A new profile of a merchant. */
export const MerchantSetup = z.strictObject({ slug: SlugInput, name, ...about });

/** Changes of a merchant's profile. Omitted fields stay; null empties a field. */
export const MerchantUpdate = z.strictObject({
  slug: SlugInput.optional(),
  name: name.optional(),
  ...about,
});

/** Track record of a merchant over all its campaigns, from the ledger. */
export const MerchantRecord = z.strictObject({
  address: Address,
  slug: z.string().describe('Its address if it has no profile.'),
  since: Timestamp.nullable().describe('When its first campaign was created; null if it has none.'),
  lastSaleAt: Timestamp.nullable().describe('Time of its newest sale; null if there is none.'),
  campaigns: Count.describe('Created on the chain, in whatever state.'),
  sales: z.strictObject({
    recorded: Count.describe('All: the sum of the four below.'),
    pending: Count.describe('Their hold is running, or they are not finalized yet.'),
    settled: Count.describe('Finalized and not reversed.'),
    refunded: Count.describe('Refunded in full.'),
    reversed: Count.describe('Reversed within 30 days of finalization; attested sales only.'),
  }),
  disputed: Count.describe('Sales over which a buyer opened a dispute here, withdrawn ones too.'),
  finalized: z.strictObject({
    count: Count.describe('Sales that were finalized, including reversed ones.'),
    medianSeconds: z
      .number()
      .min(0)
      .nullable()
      .describe('Median of seconds from recording to finalization; null if none was.'),
    medianSecondsAfterHold: z
      .number()
      .min(0)
      .nullable()
      .describe('Median of seconds from the end of the hold to finalization.'),
  }),
  tokens: z
    .array(
      z.strictObject({
        token: Token,
        settledSales: Count,
        settledValue: Amount.describe('Amounts of settled sales less their refunds, base units.'),
        refundedValue: Amount.describe('Refunded to buyers, in part or in full; base units.'),
        pendingValue: Amount.describe('Amounts of pending sales less their refunds, base units.'),
      }),
    )
    .describe('By token, the most settled sales first; 50 at most.'),
});

/** A reason why a merchant cannot be closed yet. */
export const CloseBlocker = z.strictObject({
  kind: z.enum([
    ...(['OPEN_HOLDS', 'UNCLAIMED_REWARDS', 'UNCLAIMED_PROCEEDS'] as const),
    ...(['OPEN_DISPUTES', 'LIVE_CAMPAIGNS'] as const),
  ]),
  count: Count.describe('Sales, accounts, disputes or campaigns.'),
  amounts: z
    .array(z.strictObject({ token: Token, amount: Amount }))
    .describe('Amounts at stake, by token, base units; empty for disputes and campaigns.'),
  message: z.string().describe('A sentence: what is open, and what ends it.'),
});

nameSchemas({
  MerchantKey,
  SlugInput,
  WebUrlInput,
  MerchantProfile,
  MerchantSummary,
  OwnMerchant,
  MerchantSetup,
  MerchantUpdate,
  MerchantRecord,
  CloseBlocker,
});
