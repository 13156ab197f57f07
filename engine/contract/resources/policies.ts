import { z } from 'zod';
import { get, resource } from '../define.ts';
import { RewardPolicy } from '../shapes/common.ts';
import { AtBlock, CampaignId, pageOf, pageQuery } from '../values.ts';

const PolicyVersion = RewardPolicy.required({ salesCount: true }).extend({
  status: z
    .enum(['past', 'current', 'scheduled'])
    .describe('At the block read: current is the version that a sale would use now.'),
});

/** Methods for the policies of a campaign. */
export const policies = resource('policies', {
  about: 'Versions of the policy of a campaign.',
  caller: 'public',
  documentedName: null,
})({
  list: get('/v1/campaigns/:campaignId/policies', {
    summary: 'All versions of a campaign’s policy, oldest first, with the sales of each.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({ ...pageQuery, atBlock: AtBlock.optional() }),
    },
    output: pageOf(PolicyVersion),
  }),
});
