import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { RewardPolicy } from '../shapes/common.ts';
import { AtBlock, CampaignId, pageOf, pageQuery } from '../values.ts';

const PolicyVersion = RewardPolicy.required({ salesCount: true }).extend({
  status: z
    .enum(['past', 'current', 'scheduled'])
    .describe('At the block read: current is the version that a sale would use now.'),
});

/** Methods for the policies of a campaign. */
export const policies = {
  list: defineMethod({
    name: 'policies.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/campaigns/:campaignId/policies',
    access: 'public',
    availability: 'live',
    summary: 'All versions of a campaign’s policy, oldest first, with the sales of each.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({ ...pageQuery, atBlock: AtBlock.optional() }),
    },
    output: pageOf(PolicyVersion),
  }),
} as const;
