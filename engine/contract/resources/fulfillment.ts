import { defineMethod } from '../define.ts';

export const fulfillment = {
  access: defineMethod({
    name: 'fulfillment.access',
    method: 'POST',
    path: '/v1/fulfillment/:saleId/access',
    access: 'session',
    availability: 'live',
  }),
} as const;
