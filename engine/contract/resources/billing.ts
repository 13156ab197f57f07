import { defineMethod } from '../define.ts';

export const billing = {
  summary: defineMethod({
    name: 'billing.summary',
    method: 'GET',
    path: '/v1/merchant/billing',
    access: 'session',
    availability: 'live',
  }),
  invoices: defineMethod({
    name: 'billing.invoices',
    method: 'GET',
    path: '/v1/merchant/billing/invoices',
    access: 'session',
    availability: 'live',
  }),
} as const;
