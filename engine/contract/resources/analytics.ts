import { defineMethod } from '../define.ts';

export const analytics = {
  merchant: defineMethod({
    name: 'analytics.merchant',
    method: 'GET',
    path: '/v1/merchant/analytics',
    access: 'session',
    availability: 'live',
  }),
  campaign: defineMethod({
    name: 'analytics.campaign',
    method: 'GET',
    path: '/v1/merchant/campaigns/:campaignId/analytics',
    access: 'session',
    availability: 'live',
  }),
} as const;
