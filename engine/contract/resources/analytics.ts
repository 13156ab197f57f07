import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Analytics } from '../shapes/analytics.ts';
import { rangeQuery } from '../shapes/period.ts';
import { CampaignId } from '../values.ts';

const query = z.strictObject(rangeQuery);

/** Methods for sales, rewards and growth of a merchant. */
export const analytics = {
  merchant: defineMethod({
    name: 'analytics.merchant',
    method: 'GET',
    path: '/v1/merchant/analytics',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Sales, rewards, growth and funnel over the merchant’s campaigns in a period.',
    input: { query },
    output: Analytics,
  }),
  campaign: defineMethod({
    name: 'analytics.campaign',
    method: 'GET',
    path: '/v1/merchant/campaigns/:campaignId/analytics',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Analytics of one campaign; campaignIds adds others to compare it with.',
    input: { params: z.strictObject({ campaignId: CampaignId }), query },
    output: Analytics,
  }),
} as const;
