import { z } from 'zod';
import { defineMethod } from '../define.ts';
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
export const campaigns = {
  list: defineMethod({
    name: 'campaigns.list',
    method: 'GET',
    path: '/v1/campaigns',
    access: 'public',
    readsSession: true,
    availability: 'live',
    summary: 'Published campaigns, filtered and sorted, a page at a time.',
    input: { query: listQuery },
    output: CampaignList,
  }),
  get: defineMethod({
    name: 'campaigns.get',
    method: 'GET',
    path: '/v1/campaigns/:campaignId',
    access: 'public',
    availability: 'live',
    summary: 'One campaign with its ledgers, counts, policy and product.',
    input: { params, query: asOf },
    output: CampaignDetail,
  }),
  policy: defineMethod({
    name: 'campaigns.policy',
    method: 'GET',
    path: '/v1/campaigns/:campaignId/policy',
    access: 'public',
    availability: 'live',
    summary: 'The policy in effect, and the versions that wait for their time.',
    input: { params, query: asOf },
    output: z.strictObject({
      current: RewardPolicy,
      scheduled: z.array(RewardPolicy).describe('By version; at most 4 wait at a time.'),
    }),
  }),
  stats: defineMethod({
    name: 'campaigns.stats',
    method: 'GET',
    path: '/v1/campaigns/:campaignId/stats',
    access: 'public',
    availability: 'live',
    summary: 'What the ledger adds up for a campaign: sales, value, rewards and times.',
    input: { params, query: asOf },
    output: CampaignStats,
  }),
  activity: defineMethod({
    name: 'campaigns.activity',
    method: 'GET',
    path: '/v1/campaigns/:campaignId/activity',
    access: 'public',
    availability: 'live',
    summary: 'All events of a campaign, newest first.',
    input: { params, query: page },
    output: pageOf(CampaignActivity),
  }),
  mine: defineMethod({
    name: 'campaigns.mine',
    method: 'GET',
    path: '/v1/merchant/campaigns',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Campaigns and drafts of the signed-in merchant: drafts first, then the newest.',
    input: { query: mineQuery },
    output: pageOf(OwnCampaign),
  }),
  saveDraft: defineMethod({
    name: 'campaigns.saveDraft',
    method: 'PUT',
    path: '/v1/merchant/campaign-drafts/:id',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Writes a draft whole; a new id makes a new one, and the same again changes nothing.',
    input: { params: draftParams, body: CampaignDraftInput, payload: 'draft' },
    output: CampaignDraft,
  }),
  getDraft: defineMethod({
    name: 'campaigns.getDraft',
    method: 'GET',
    path: '/v1/merchant/campaign-drafts/:id',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'One draft of the signed-in merchant.',
    input: { params: draftParams },
    output: CampaignDraft,
  }),
  deleteDraft: defineMethod({
    name: 'campaigns.deleteDraft',
    method: 'DELETE',
    path: '/v1/merchant/campaign-drafts/:id',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Throws a draft away; the campaign that it became stays.',
    input: { params: draftParams },
    output: Done,
  }),
  prepareCreate: defineMethod({
    name: 'campaigns.prepareCreate',
    method: 'POST',
    path: '/v1/merchant/campaign-drafts/:id/prepare',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary:
      'The transactions that bring a draft onto the chain, unsigned, and the hashes they carry.',
    input: { params: draftParams },
    output: PreparedCampaign,
  }),
  updateSettings: defineMethod({
    name: 'campaigns.updateSettings',
    method: 'PATCH',
    path: '/v1/merchant/campaigns/:campaignId/settings',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Changes what this service keeps of a campaign; what is left out stays.',
    input: { params, body: CampaignSettingsInput },
    output: CampaignSettings,
  }),
  distributors: defineMethod({
    name: 'campaigns.distributors',
    method: 'GET',
    path: '/v1/merchant/campaigns/:campaignId/distributors',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Accounts with links in the merchant’s campaign, with their sales and rewards.',
    input: { params, query: distributorsQuery },
    output: pageOf(CampaignDistributor),
  }),
} as const;
