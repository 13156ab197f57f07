/** Distributors as everybody may see them: the public track record, and discovery by it. */
import { z } from 'zod';
import { Address, Amount, Count, Id, Timestamp } from '../values.ts';
import { Token } from './common.ts';

export const Handle = z
  .string()
  .regex(/^[a-z][a-z0-9-]{2,31}$/, 'must be 3 to 32 lower-case letters, digits or hyphens')
  .describe('Name of a distributor: a letter, then lower-case letters, digits or hyphens.');

export const Visibility = z
  .enum(['public', 'pseudonymous'])
  .describe('pseudonymous, the default: nothing links the address to the handle.');

/** Parts of the order `discovery-v1`. */
const RankSignal = z.strictObject({
  name: z
    .string()
    .describe(
      'settledConversions, merchants, keptShare or recency; each has a value of 0 to 1000.',
    ),
  value: z.number().describe('Points, 0 to 1000; higher is better.'),
});

export const ranking = {
  rankSignals: z
    .array(RankSignal)
    .describe('score = 4 × settledConversions + 3 × merchants + 2 × keptShare + recency.'),
  slot: z
    .enum(['ranked', 'new'])
    .describe('new: fewer than 3 settled conversions; listed after the ranked, newest first.'),
  rankingVersion: z.literal('discovery-v1'),
  methodologyVersion: z.string().describe('Of the definitions behind the figures.'),
};

const conversions = Count.describe(
  'Settled sales of which it has a rewarded level, each counted once, without those whose buyer is the merchant or owns a rewarded node of the path.',
);

/** A distributor in the public list. */
export const Distributor = z.strictObject({
  address: Address,
  handle: z.string().nullable().describe('Where its owner made it public; null otherwise.'),
  displayName: z.string().nullable().describe('Where its owner made it public; null otherwise.'),
  visibility: Visibility,
  settledConversions: conversions,
  directSales: Count.describe('Settled conversions that its own nodes made.'),
  networkSales: Count.describe('Settled conversions that nodes below its own made.'),
  merchantCount: Count.describe('Different merchants of its settled conversions.'),
  categories: z.array(z.string()).describe('Of the products sold, in alphabetical order.'),
  lastSettledAt: Timestamp.nullable().describe('When the newest was finalized; null without one.'),
  linkCount: Count.describe('Nodes that it owns, over all campaigns.'),
  firstLinkAt: Timestamp.describe('When it first joined a campaign.'),
  ...ranking,
});

/** A band instead of a figure: the figure itself would give the address away. */
const atLeast = z.union([0, 1, 10, 100, 1_000, 10_000].map((n) => z.literal(n)));

export const TrackRecord = z.strictObject({
  settledConversions: conversions,
  directSales: Count.describe('Settled conversions that its own nodes made.'),
  networkSales: Count.describe('Settled conversions that nodes below its own made.'),
  refundedSales: Count.describe('Sales of its levels that were refunded in whole.'),
  reversedSales: Count.describe('Attested sales of its levels that were reversed.'),
  pendingSales: Count.describe('Sales of its levels that are not final yet.'),
  merchantCount: Count.describe('Different merchants of its settled conversions.'),
  categories: z.array(z.string()).describe('Of the products sold, in alphabetical order.'),
  settledValues: z
    .array(
      z.strictObject({
        token: Token,
        sales: Count.describe('Settled conversions in that token.'),
        value: Amount.describe('What their buyers paid and was not refunded, base units.'),
      }),
    )
    .describe('By token, the most settled first, 20 at most; tokens never add up.'),
  lastSettledAt: Timestamp.nullable().describe('When the newest was finalized; null without one.'),
  linkCount: Count.describe('Nodes that it owns, over all campaigns.'),
  firstLinkAt: Timestamp.nullable().describe('When it first joined a campaign; null if never.'),
  ...ranking,
});

export const Profile = z.strictObject({
  address: Address.nullable().describe('null where a handle was asked that is not public.'),
  handle: z.string().nullable().describe('null where an address was asked that is not public.'),
  displayName: z.string().nullable().describe('As the handle.'),
  visibility: Visibility,
  record: TrackRecord.nullable().describe(
    'null with the address: exact figures would give it away. See standing.',
  ),
  standing: z
    .strictObject({ settledConversionsAtLeast: atLeast, merchantsAtLeast: atLeast })
    .describe('Bands of the record.'),
});

/** The caller's own profile, everything included. */
export const OwnProfile = Profile.extend({
  address: Address,
  record: TrackRecord,
  sharedFields: z
    .array(z.enum(['handle', 'displayName', 'address', 'record']))
    .describe('What strangers see when they ask by handle.'),
  updatedAt: Timestamp.nullable().describe('When the profile was last changed.'),
});

/** A signed statement of a track record, to show elsewhere (designed). */
export const Credential = z.strictObject({
  id: Id,
  format: z.enum(['vc+jwt', 'eip712']),
  subject: Address,
  claims: z.array(z.enum(['settledConversions', 'merchantCount', 'categories', 'settledValues'])),
  issuedAt: Timestamp,
  expiresAt: Timestamp,
  revokedAt: Timestamp.nullable(),
});
