import { z } from 'zod';
import { get, resource } from '../define.ts';
import { Analytics } from '../shapes/analytics.ts';
import { rangeQuery } from '../shapes/period.ts';
import { CampaignId } from '../values.ts';

const query = z.strictObject(rangeQuery);

/** Methods for sales, rewards and growth of a merchant. */
export const analytics = resource('analytics', {
  about: 'Series, funnels and cohorts of a merchant.',
  caller: 'viewer',
})({
  merchant: get('/v1/merchant/analytics', {
    serving: { cached: true, long: true, replica: true },
    summary: 'Sales, rewards, growth and funnel over the merchant’s campaigns in a period.',
    input: { query },
    output: Analytics,
  }),
  campaign: get('/v1/merchant/campaigns/:campaignId/analytics', {
    serving: { cached: true, long: true, replica: true },
    summary: 'Analytics of one campaign; campaignIds adds others to compare it with.',
    input: { params: z.strictObject({ campaignId: CampaignId }), query },
    output: Analytics,
  }),
});
