import { z } from 'zod';
import { del, designed, get, patch, post, resource } from '../define.ts';
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
export const merchants = resource('merchants', {
  about: 'Profiles of merchants and their public record.',
  caller: 'public',
})({
  list: get('/v1/merchants', {
    documentedName: null,
    serving: { cached: true, long: true },
    summary: 'Merchants with a profile and a listed campaign, by name.',
    input: { query: listQuery },
    output: pageOf(MerchantSummary),
  }),
  get: get('/v1/merchants/:slug', {
    serving: { cached: true },
    summary: 'A merchant: its profile, or the data of an address on the chain.',
    input: { params },
    output: MerchantProfile,
  }),
  record: get('/v1/merchants/:slug/record', {
    serving: { cached: true, long: true },
    summary: 'The track record of a merchant, from the ledger.',
    input: { params },
    output: MerchantRecord,
  }),
  me: get('/v1/merchant', {
    caller: 'viewer',
    summary: 'The profile of the signed-in merchant; 404 before setup.',
    input: {},
    output: OwnMerchant,
  }),
  setup: post('/v1/merchant', {
    caller: 'owner',
    summary: 'Creates the profile of the signed-in account; an account can have one, permanently.',
    input: { body: MerchantSetup },
    output: OwnMerchant,
  }),
  update: patch('/v1/merchant', {
    caller: 'admin',
    summary: 'Changes the profile; what is left out stays.',
    input: { body: MerchantUpdate },
    output: OwnMerchant,
  }),
  slugAvailable: get('/v1/merchant-slugs/:slug', {
    caller: 'viewer',
    summary: 'Whether a slug is free, and one like it that is.',
    input: { params: z.strictObject({ slug: SlugInput }) },
    output: SlugAnswer,
  }),
  uploadLogo: post('/v1/merchant/logo', {
    documentedName: null,
    caller: 'admin',
    summary: 'Replaces the logo by an image; its type is detected from its content.',
    input: { multipart: true },
    output: z.strictObject({ logo: MediaItem }),
  }),
  removeLogo: del('/v1/merchant/logo', {
    documentedName: null,
    caller: 'admin',
    summary: 'Deletes the logo; without one it changes nothing.',
    input: {},
    output: Done,
  }),
  requestVerification: designed(
    'POST /v1/merchant/verification',
    'Asks for the merchant’s identity to be checked.',
    { caller: 'admin' },
  ),
  close: post('/v1/merchant/close', {
    caller: 'owner',
    summary:
      'Closes the profile; while money is at stake it stays open, and the response names the reasons.',
    input: { body: CloseRequest },
    output: CloseAnswer,
  }),
  offers: get('/v1/merchants/:slug/offers', {
    serving: { cached: true },
    summary: 'Campaigns of one merchant, a page at a time.',
    input: { params, query: offersQuery },
    output: CampaignList,
  }),
});
