import { defineMethod } from '../define.ts';

export const checkout = {
  preview: defineMethod({
    name: 'checkout.preview',
    method: 'GET',
    path: '/v1/campaigns/:campaignId/checkout-preview',
    access: 'public',
    availability: 'live',
  }),
  createIntent: defineMethod({
    name: 'checkout.createIntent',
    method: 'POST',
    path: '/v1/checkout/intents',
    access: 'session',
    availability: 'live',
  }),
  getIntent: defineMethod({
    name: 'checkout.getIntent',
    method: 'GET',
    path: '/v1/checkout/intents/:id',
    access: 'session',
    availability: 'live',
  }),
  attachTransaction: defineMethod({
    name: 'checkout.attachTransaction',
    method: 'POST',
    path: '/v1/checkout/intents/:id/transaction',
    access: 'session',
    availability: 'live',
  }),
} as const;
