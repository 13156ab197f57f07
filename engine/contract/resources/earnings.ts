import { z } from 'zod';
import { defineMethod } from '../define.ts';
import {
  CampaignEarnings,
  Claim,
  Claimable,
  Conversion,
  Credit,
  EarningsSummary,
  MissedEarning,
} from '../shapes/earnings.ts';
import { Period } from '../shapes/period.ts';
import { Address, AtBlock, CampaignId, pageOf, pageQuery, RewardState } from '../values.ts';

const campaignId = CampaignId.describe('Only this campaign.').optional();
const asOf = { atBlock: AtBlock.optional() };

/** Methods for rewards of the signed-in distributor. */
export const earnings = {
  summary: defineMethod({
    name: 'earnings.summary',
    method: 'GET',
    path: '/v1/me/earnings',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'Earnings of the caller over all campaigns, by token, in the ledger’s buckets.',
    input: { query: z.strictObject(asOf) },
    output: EarningsSummary,
  }),
  byCampaign: defineMethod({
    name: 'earnings.byCampaign',
    method: 'GET',
    path: '/v1/me/earnings/campaigns',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'Earnings of the caller by campaign, newest conversion first.',
    input: { query: z.strictObject({ ...pageQuery, ...asOf }) },
    output: pageOf(CampaignEarnings),
  }),
  byConversion: defineMethod({
    name: 'earnings.byConversion',
    method: 'GET',
    path: '/v1/me/earnings/conversions',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'Every level of every sale with a reward of the caller, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        ...asOf,
        campaignId,
        state: RewardState.describe('Only rewards in this state.').optional(),
        range: Period.describe('Only sales recorded in it.').optional(),
      }),
    },
    output: pageOf(Conversion),
  }),
  missed: defineMethod({
    name: 'earnings.missed',
    method: 'GET',
    path: '/v1/me/earnings/missed',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'Rewards that the caller missed, by sale, with the reason; newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        ...asOf,
        campaignId,
        reason: MissedEarning.shape.reason.describe('Only this reason.').optional(),
      }),
    },
    output: pageOf(MissedEarning),
  }),
  claimable: defineMethod({
    name: 'earnings.claimable',
    method: 'GET',
    path: '/v1/me/claimable',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'Campaigns in which the caller can claim or finalize, with the transactions to sign.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(Claimable),
  }),
  claims: defineMethod({
    name: 'earnings.claims',
    method: 'GET',
    path: '/v1/me/claims',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'Rewards that were paid to the caller, newest first.',
    input: { query: z.strictObject({ ...pageQuery, ...asOf, campaignId }) },
    output: pageOf(Claim),
  }),
  credits: defineMethod({
    name: 'earnings.credits',
    documentedName: null,
    method: 'GET',
    path: '/v1/me/credits',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary:
      'Refunds and rewards of the caller that the token refused to pay, with the transactions that withdraw them.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        to: Address.describe('Account to pay; without it no transaction is returned.').optional(),
      }),
    },
    output: pageOf(Credit),
  }),
} as const;
