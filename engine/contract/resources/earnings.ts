import { z } from 'zod';
import { get, resource } from '../define.ts';
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
export const earnings = resource('earnings', {
  about: 'What a distributor earned, missed and can claim.',
  caller: 'account',
})({
  summary: get('/v1/me/earnings', {
    serving: { cached: true, replica: true },
    summary: 'Earnings of the caller over all campaigns, by token, in the ledger’s buckets.',
    input: { query: z.strictObject(asOf) },
    output: EarningsSummary,
  }),
  byCampaign: get('/v1/me/earnings/campaigns', {
    serving: { cached: true, replica: true },
    summary: 'Earnings of the caller by campaign, newest conversion first.',
    input: { query: z.strictObject({ ...pageQuery, ...asOf }) },
    output: pageOf(CampaignEarnings),
  }),
  byConversion: get('/v1/me/earnings/conversions', {
    serving: { long: true, replica: true },
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
  missed: get('/v1/me/earnings/missed', {
    serving: { replica: true },
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
  claimable: get('/v1/me/claimable', {
    serving: { long: true },
    summary: 'Campaigns in which the caller can claim or finalize, with the transactions to sign.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(Claimable),
  }),
  claims: get('/v1/me/claims', {
    serving: { replica: true },
    summary: 'Rewards that were paid to the caller, newest first.',
    input: { query: z.strictObject({ ...pageQuery, ...asOf, campaignId }) },
    output: pageOf(Claim),
  }),
  credits: get('/v1/me/credits', {
    documentedName: null,
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
});
