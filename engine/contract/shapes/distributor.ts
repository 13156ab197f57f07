// Distributors: the public track record, and the order of the public list.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, Amount, Count, Timestamp } from '../values.ts';
import { Token } from './common.ts';

/** Handle of a distributor. */
export const Handle = z
  .string()
  .regex(/^[a-z][a-z0-9-]{2,31}$/, 'must be 3 to 32 lower-case letters, digits or hyphens')
  .describe('Name of a distributor: a letter, then lower-case letters, digits or hyphens.');

/** Whether a distributor's handle may be linked to the address. */
export const Visibility = z
  .enum(['public', 'pseudonymous'])
  .describe('pseudonymous, the default: nothing links the address to the handle.');

/** Points of one signal of the order `discovery-v1`. */
const RankSignal = z.strictObject({
  name: z
    .string()
    .describe(
      'settledConversions, merchants, keptShare or recency; each has a value of 0 to 1000.',
    ),
  value: z.number().describe('Points, 0 to 1000; higher is better.'),
});

/** Fields of the order `discovery-v1` (docs/reference/api.md#the-order-of-distributors). */
export const ranking = {
  rankSignals: z
    .array(RankSignal)
    .describe('score = 4 × settledConversions + 3 × merchants + 2 × keptShare + recency.'),
  slot: z
    .enum(['ranked', 'new'])
    .describe('new: fewer than 3 settled conversions; listed after the ranked, newest first.'),
  rankingVersion: z.literal('discovery-v1'),
  methodologyVersion: z.string().describe('Version of the definitions behind the numbers.'),
};

const conversions = Count.describe(
  'Settled sales with a rewarded level of the account, each counted once, except those whose buyer is the merchant or owns a rewarded node of the path.',
);

const directSales = Count.describe(
  'Settled conversions that its own nodes made; fewer than its settled sales if owners of the path or the merchant bought.',
);

const networkSales = Count.describe(
  'Settled conversions that nodes below its own made; fewer than its settled sales in the same case.',
);

/** A distributor in the public list. */
export const Distributor = z.strictObject({
  address: Address,
  handle: z.string().nullable().describe('null unless its owner made it public.'),
  displayName: z.string().nullable().describe('null unless its owner made it public.'),
  visibility: Visibility,
  settledConversions: conversions,
  directSales,
  networkSales,
  merchantCount: Count.describe('Different merchants of its settled conversions.'),
  categories: z.array(z.string()).describe('Of the products sold, in alphabetical order.'),
  lastSettledAt: Timestamp.nullable().describe('When the newest was finalized; null if none.'),
  linkCount: Count.describe('Nodes that it owns, over all campaigns.'),
  firstLinkAt: Timestamp.describe('When it first joined a campaign.'),
  ...ranking,
});

/** A range instead of the exact number, which would reveal the address. */
const atLeast = z.union([0, 1, 10, 100, 1_000, 10_000].map((n) => z.literal(n)));

/** Totals of a distributor over all campaigns. */
export const TrackRecord = z.strictObject({
  settledConversions: conversions,
  directSales,
  networkSales,
  refundedSales: Count.describe('Sales of its levels that were refunded in full.'),
  reversedSales: Count.describe('Attested sales of its levels that were reversed.'),
  pendingSales: Count.describe('Sales of its levels that are not final yet.'),
  merchantCount: Count.describe('Different merchants of its settled conversions.'),
  categories: z.array(z.string()).describe('Of the products sold, in alphabetical order.'),
  settledValues: z
    .array(
      z.strictObject({
        token: Token,
        sales: Count.describe('Settled conversions in that token.'),
        value: Amount.describe('Payments of their buyers less refunds, base units.'),
      }),
    )
    .describe('By token, most settled sales first, at most 20; tokens are never added.'),
  lastSettledAt: Timestamp.nullable().describe('When the newest was finalized; null if none.'),
  linkCount: Count.describe('Nodes that it owns, over all campaigns.'),
  firstLinkAt: Timestamp.nullable().describe('When it first joined a campaign; null if never.'),
  ...ranking,
});

const RecordRange = z.strictObject({
  settledConversionsAtLeast: atLeast,
  merchantsAtLeast: atLeast,
});

/** The public profile of a distributor. */
export const Profile = z.strictObject({
  address: Address.nullable().describe('null if a handle was requested without a public address.'),
  handle: z
    .string()
    .nullable()
    .describe('null if an address was requested without a public handle.'),
  displayName: z.string().nullable().describe('Present under the same conditions as the handle.'),
  visibility: Visibility,
  record: TrackRecord.nullable().describe(
    'null if the address is: exact numbers would reveal it; the ranges of the record do not.',
  ),
  standing: RecordRange.describe('Ranges of the record.'),
});

/** The caller's own profile, with all fields. */
export const OwnProfile = Profile.extend({
  address: Address,
  record: TrackRecord,
  sharedFields: z
    .array(z.enum(['handle', 'displayName', 'address', 'record']))
    .describe('Fields that others see if they request it by handle.'),
  updatedAt: Timestamp.nullable().describe('When the profile was last changed.'),
});

nameSchemas({
  Handle,
  Visibility,
  RankSignal,
  Distributor,
  TrackRecord,
  RecordRange,
  Profile,
  OwnProfile,
});
