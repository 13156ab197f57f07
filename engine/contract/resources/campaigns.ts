import { z } from 'zod';
import { del, get, patch, post, put, resource } from '../define.ts';
import { CampaignDetail, CampaignList } from '../shapes/campaign.ts';
import { CampaignActivity, CampaignStats } from '../shapes/campaign-stats.ts';
import { RewardPolicy } from '../shapes/common.ts';
import {
  CampaignDistributor,
  CampaignDraft,
  CampaignDraftInput,
  CampaignSettings,
  CampaignSettingsInput,
  OwnCampaign,
  PreparedCampaign,
} from '../shapes/draft.ts';
import {
  AmountInput,
  AtBlock,
  CampaignId,
  Count,
  Done,
  Id,
  pageOf,
  pageQuery,
  TrustMode,
  textInput,
} from '../values.ts';

const rate = z.int().min(1).max(10_000);

const listQuery = z.strictObject({
  ...pageQuery,
  q: textInput(200)
    .describe('Words of title, summary, merchant or token symbol; or an address or campaign id.')
    .optional(),
  category: textInput(200).describe('Exactly this category of the product.').optional(),
  rateMin: rate.describe('commissionBps at least, basis points.').optional(),
  rateMax: rate.describe('commissionBps at most, basis points.').optional(),
  levels: z.int().min(1).max(5).describe('Exactly so many rewarded levels.').optional(),
  holdMax: Count.describe('holdSeconds at most.').optional(),
  budgetLeftMin: AmountInput.describe('Rewards available at least, base units.').optional(),
  source: TrustMode.optional(),
  invitationOnly: z.boolean().describe('Only those by invitation, or only the others.').optional(),
  excludeJoined: z
    .boolean()
    .describe('Without those that the signed-in account has joined; needs a session.')
    .optional(),
  status: z
    .enum(['active', 'not_live', 'paused', 'ended', 'expired'])
    .describe(
      'active takes sales now; not_live does not: unfunded, not started, sold out, or no longer offered here.',
    )
    .optional(),
  merchant: textInput(200).describe('Slug or address.').optional(),
  sort: z
    .enum(['balanced', 'newest', 'reward', 'budget', 'hold'])
    .describe('balanced (default), newest, highest rate, largest budget or shortest hold first.')
    .optional(),
});

const params = z.strictObject({ campaignId: CampaignId });
const asOf = z.strictObject({ atBlock: AtBlock.optional() });
const draftParams = z.strictObject({ id: Id.describe('Of the draft; its merchant chooses it.') });
const page = z.strictObject(pageQuery);

const mineQuery = z.strictObject({
  ...pageQuery,
  kind: z.enum(['campaign', 'draft']).describe('Only these; default both.').optional(),
  status: listQuery.shape.status,
});

const distributorsQuery = z.strictObject({
  ...pageQuery,
  q: textInput(200).describe('An address, or the beginning of a handle.').optional(),
  sort: z
    .enum(['newest', 'sales', 'rewards'])
    .describe('Newest link (default), most settled sales or largest rewards first.')
    .optional(),
});

/** Methods for campaigns and drafts. */
export const campaigns = resource('campaigns', {
  about: 'A product bound to a reward policy: published ones, and drafts of merchants.',
  caller: 'public',
})({
  list: get('/v1/campaigns', {
    readsSession: true,
    serving: { cached: true },
    summary: 'Published campaigns, filtered and sorted, a page at a time.',
    input: { query: listQuery },
    output: CampaignList,
  }),
  get: get('/v1/campaigns/:campaignId', {
    serving: { cached: true },
    summary: 'One campaign with its ledgers, counts, policy and product.',
    input: { params, query: asOf },
    output: CampaignDetail,
  }),
  policy: get('/v1/campaigns/:campaignId/policy', {
    serving: { cached: true },
    summary: 'The policy in effect, and the versions that wait for their time.',
    input: { params, query: asOf },
    output: z.strictObject({
      current: RewardPolicy,
      scheduled: z.array(RewardPolicy).describe('By version; at most 4 wait at a time.'),
    }),
  }),
  stats: get('/v1/campaigns/:campaignId/stats', {
    serving: { cached: true, long: true },
    summary: 'What the ledger adds up for a campaign: sales, value, rewards and times.',
    input: { params, query: asOf },
    output: CampaignStats,
  }),
  activity: get('/v1/campaigns/:campaignId/activity', {
    serving: { cached: true },
    summary: 'All events of a campaign, newest first.',
    input: { params, query: page },
    output: pageOf(CampaignActivity),
  }),
  mine: get('/v1/merchant/campaigns', {
    caller: 'viewer',
    serving: { cached: true },
    summary: 'Campaigns and drafts of the signed-in merchant: drafts first, then the newest.',
    input: { query: mineQuery },
    output: pageOf(OwnCampaign),
  }),
  saveDraft: put('/v1/merchant/campaign-drafts/:id', {
    caller: 'admin',
    summary: 'Writes a draft whole; a new id makes a new one, and the same again changes nothing.',
    input: { params: draftParams, body: CampaignDraftInput, payload: 'draft' },
    output: CampaignDraft,
  }),
  getDraft: get('/v1/merchant/campaign-drafts/:id', {
    caller: 'viewer',
    summary: 'One draft of the signed-in merchant.',
    input: { params: draftParams },
    output: CampaignDraft,
  }),
  deleteDraft: del('/v1/merchant/campaign-drafts/:id', {
    caller: 'admin',
    summary: 'Throws a draft away; the campaign that it became stays.',
    input: { params: draftParams },
    output: Done,
  }),
  prepareCreate: post('/v1/merchant/campaign-drafts/:id/prepare', {
    caller: 'admin',
    summary:
      'The transactions that bring a draft onto the chain, unsigned, and the hashes they carry.',
    input: { params: draftParams },
    output: PreparedCampaign,
  }),
  updateSettings: patch('/v1/merchant/campaigns/:campaignId/settings', {
    caller: 'admin',
    summary: 'Changes what this service keeps of a campaign; what is left out stays.',
    input: { params, body: CampaignSettingsInput },
    output: CampaignSettings,
  }),
  distributors: get('/v1/merchant/campaigns/:campaignId/distributors', {
    caller: 'viewer',
    serving: { cached: true, long: true, replica: true },
    summary: 'Accounts with links in the merchant’s campaign, with their sales and rewards.',
    input: { params, query: distributorsQuery },
    output: pageOf(CampaignDistributor),
  }),
});
