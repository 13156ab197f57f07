import { defineMethod } from '../define.ts';

export const partners = {
  list: defineMethod({
    name: 'partners.list',
    method: 'GET',
    path: '/v1/merchant/partners',
    access: 'session',
    availability: 'live',
  }),
  get: defineMethod({
    name: 'partners.get',
    method: 'GET',
    path: '/v1/merchant/partners/:address',
    access: 'session',
    availability: 'live',
  }),
} as const;
