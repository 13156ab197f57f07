/** Merchants: what they say of themselves, and what the ledger says of them. */
import { z } from 'zod';
import { Address, Amount, Count, Id, Timestamp, textInput, Uri } from '../values.ts';
import { MediaItem, Token } from './common.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** How a merchant is named in a path: it may never have made a profile. */
export const MerchantKey = z
  .string()
  .regex(
    /^(?:[a-z0-9][a-z0-9-]{0,62}|0x[0-9a-fA-F]{40})$/,
    'must be a slug, or 0x and 40 hex digits',
  )
  .describe('Slug of a profile, or address of the account that sells.');

/** A slug that a merchant chooses. One that looks like an address would hide whose it is. */
export const SlugInput = z
  .string()
  .regex(SLUG, 'must be 1 to 63 lower-case letters, digits and hyphens, no hyphen first')
  .refine((slug) => !ADDRESS.test(slug), 'must not be an address')
  .describe('1 to 63 lower-case letters, digits and hyphens; unique.');

const WebUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

export const WebUrlInput = WebUrl.max(2_048).describe('http or https, at most 2048 characters.');

const profileText = {
  description: z.string().describe('In the merchant’s words; empty where it has none.'),
  websiteUrl: Uri.nullable(),
  supportEmail: z.string().nullable().describe('Where buyers may write to.'),
  logo: MediaItem.nullable(),
};

/** What everybody may know of a merchant. */
export const MerchantProfile = z.strictObject({
  id: Id.describe('Its address where it has no profile here.'),
  slug: z.string().describe('Its address where it has no profile here.'),
  name: z.string().describe('Its address, shortened, where it has no profile here.'),
  address: Address.describe('The account that creates its campaigns.'),
  profiled: z.boolean().describe('false: known from the chain alone.'),
  ...profileText,
  status: z.enum(['active', 'closed']).describe('closed: sells no more through this service.'),
  createdAt: Timestamp.nullable().describe('When the profile was made; null without one.'),
  campaignCount: Count.describe('Campaigns that it created on the chain.'),
  liveCampaignCount: Count.describe('Those that take sales at the block read.'),
});

/** What the signed-in merchant itself sees. */
export const OwnMerchant = MerchantProfile.omit({
  campaignCount: true,
  liveCampaignCount: true,
}).extend({
  createdAt: Timestamp,
  updatedAt: Timestamp,
  closedAt: Timestamp.nullable(),
});

const name = textInput(100).min(1).describe('1 to 100 characters.');
const about = {
  description: textInput(5_000).describe('At most 5000 characters.').optional(),
  websiteUrl: WebUrlInput.nullable().optional(),
  supportEmail: z.email().max(254).nullable().optional(),
};

export const MerchantSetup = z.strictObject({ slug: SlugInput, name, ...about });

/** What is left out stays; null empties. */
export const MerchantUpdate = z.strictObject({
  slug: SlugInput.optional(),
  name: name.optional(),
  ...about,
});

/** What the ledger says of a merchant’s sales, over all its campaigns. */
export const MerchantRecord = z.strictObject({
  address: Address,
  slug: z.string().describe('Its address where it has no profile here.'),
  since: Timestamp.nullable().describe('Its first campaign’s creation; null where it has none.'),
  lastSaleAt: Timestamp.nullable().describe('null where nothing was sold.'),
  campaigns: Count.describe('Created on the chain, in whatever state.'),
  sales: z.strictObject({
    recorded: Count.describe('All: the sum of the four below.'),
    pending: Count.describe('Their hold runs, or nobody has finalized them.'),
    settled: Count.describe('Finalized and not reversed.'),
    refunded: Count.describe('Given back in whole.'),
    reversed: Count.describe('Finalized, and taken back within 30 days; attested sales only.'),
  }),
  disputed: Count.describe('Sales over which a buyer opened a dispute here.'),
  finalized: z.strictObject({
    count: Count.describe('Sales that were finalized, reversed ones included.'),
    medianSeconds: z
      .number()
      .min(0)
      .nullable()
      .describe('Median of seconds from recording to finalization; null where none was.'),
    medianSecondsAfterHold: z
      .number()
      .min(0)
      .nullable()
      .describe('The same from the end of the hold.'),
  }),
  tokens: z
    .array(
      z.strictObject({
        token: Token,
        settledSales: Count,
        settledValue: Amount.describe('Amounts of settled sales less their refunds, base units.'),
        refundedValue: Amount.describe('Given back to buyers, in part or whole; base units.'),
        pendingValue: Amount.describe('Amounts of pending sales less their refunds, base units.'),
      }),
    )
    .describe('By token, the most settled sales first; 50 at most.'),
});

export const CloseBlocker = z.strictObject({
  kind: z.enum([
    ...(['OPEN_HOLDS', 'UNCLAIMED_REWARDS', 'UNCLAIMED_PROCEEDS'] as const),
    ...(['OPEN_DISPUTES', 'LIVE_CAMPAIGNS'] as const),
  ]),
  count: Count.describe('Sales, accounts, disputes or campaigns.'),
  amounts: z
    .array(z.strictObject({ token: Token, amount: Amount }))
    .describe('What is at stake, by token, base units; empty for disputes and campaigns.'),
  message: z.string().describe('A sentence: what is open, and what ends it.'),
});
