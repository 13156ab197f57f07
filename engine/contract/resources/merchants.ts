import { z } from 'zod';
import { defineMethod, designed } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { CampaignList } from '../shapes/campaign.ts';
import { MediaItem } from '../shapes/common.ts';
import {
  CloseBlocker,
  MerchantKey,
  MerchantProfile,
  MerchantRecord,
  MerchantSetup,
  MerchantSummary,
  MerchantUpdate,
  OwnMerchant,
  SlugInput,
} from '../shapes/merchant.ts';
import { ConfirmationToken, Done, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';
import { campaigns } from './campaigns.ts';

const params = z.strictObject({ slug: MerchantKey });

const { status, sort } = campaigns.list.input.query.shape;

const offersQuery = z.strictObject({
  ...pageQuery,
  status,
  sort: sort.describe(
    'newest (default), balanced, highest rate, largest budget or shortest hold first.',
  ),
});

const listQuery = z.strictObject({
  ...pageQuery,
  q: textInput(200).describe('Words of name or slug.').optional(),
  live: z
    .boolean()
    .describe('Only those with a campaign that takes sales now, or only the others.')
    .optional(),
});

const SlugAnswer = z.strictObject({
  slug: z.string(),
  available: z.boolean(),
  suggestion: z.string().nullable().describe('A free slug like it; null if it is free itself.'),
});

const CloseRequest = z.strictObject({
  slug: SlugInput.describe('Slug of the profile to close, as protection against accidents.'),
  confirmationToken: ConfirmationToken,
});

const CloseAnswer = z.strictObject({
  closed: z.boolean().describe('false while something is open: nothing changed.'),
  closedAt: Timestamp.nullable(),
  blockers: z.array(CloseBlocker).describe('Empty if the profile was closed.'),
});

nameSchemas({
  SlugAvailability: SlugAnswer,
  CloseRequest,
  CloseResult: CloseAnswer,
});

/** Methods for merchants and their profiles. */
export const merchants = {
  list: defineMethod({
    name: 'merchants.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/merchants',
    access: 'public',
    availability: 'live',
    summary: 'Merchants with a profile and a listed campaign, by name.',
    input: { query: listQuery },
    output: pageOf(MerchantSummary),
  }),
  get: defineMethod({
    name: 'merchants.get',
    method: 'GET',
    path: '/v1/merchants/:slug',
    access: 'public',
    availability: 'live',
    summary: 'A merchant: its profile, or the data of an address on the chain.',
    input: { params },
    output: MerchantProfile,
  }),
  record: defineMethod({
    name: 'merchants.record',
    method: 'GET',
    path: '/v1/merchants/:slug/record',
    access: 'public',
    availability: 'live',
    summary: 'The track record of a merchant, from the ledger.',
    input: { params },
    output: MerchantRecord,
  }),
  me: defineMethod({
    name: 'merchants.me',
    method: 'GET',
    path: '/v1/merchant',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'The profile of the signed-in merchant; 404 before setup.',
    input: {},
    output: OwnMerchant,
  }),
  setup: defineMethod({
    name: 'merchants.setup',
    method: 'POST',
    path: '/v1/merchant',
    access: 'session',
    caller: 'owner',
    availability: 'live',
    summary: 'Creates the profile of the signed-in account; an account can have one, permanently.',
    input: { body: MerchantSetup },
    output: OwnMerchant,
  }),
  update: defineMethod({
    name: 'merchants.update',
    method: 'PATCH',
    path: '/v1/merchant',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Changes the profile; what is left out stays.',
    input: { body: MerchantUpdate },
    output: OwnMerchant,
  }),
  slugAvailable: defineMethod({
    name: 'merchants.slugAvailable',
    method: 'GET',
    path: '/v1/merchant-slugs/:slug',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Whether a slug is free, and one like it that is.',
    input: { params: z.strictObject({ slug: SlugInput }) },
    output: SlugAnswer,
  }),
  uploadLogo: defineMethod({
    name: 'merchants.uploadLogo',
    documentedName: null,
    method: 'POST',
    path: '/v1/merchant/logo',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Replaces the logo by an image; its type is detected from its content.',
    input: { multipart: true },
    output: z.strictObject({ logo: MediaItem }),
  }),
  removeLogo: defineMethod({
    name: 'merchants.removeLogo',
    documentedName: null,
    method: 'DELETE',
    path: '/v1/merchant/logo',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Deletes the logo; without one it changes nothing.',
    input: {},
    output: Done,
  }),
  requestVerification: designed(
    'merchants.requestVerification',
    'POST /v1/merchant/verification',
    'admin',
    'Asks for the merchant’s identity to be checked.',
  ),
  close: defineMethod({
    name: 'merchants.close',
    method: 'POST',
    path: '/v1/merchant/close',
    access: 'session',
    caller: 'owner',
    availability: 'live',
    summary:
      'Closes the profile; while money is at stake it stays open, and the response names the reasons.',
    input: { body: CloseRequest },
    output: CloseAnswer,
  }),
  offers: defineMethod({
    name: 'merchants.offers',
    method: 'GET',
    path: '/v1/merchants/:slug/offers',
    access: 'public',
    availability: 'live',
    summary: 'Campaigns of one merchant, a page at a time.',
    input: { params, query: offersQuery },
    output: CampaignList,
  }),
} as const;
