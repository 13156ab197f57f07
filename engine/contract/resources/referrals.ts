import { defineMethod } from '../define.ts';

export const referrals = {
  get: defineMethod({
    name: 'referrals.get',
    documentedName: null,
    method: 'GET',
    path: '/v1/referrals/:code',
    access: 'public',
    availability: 'live',
  }),
  open: defineMethod({
    name: 'referrals.open',
    documentedName: null,
    method: 'POST',
    path: '/v1/referrals/:code/open',
    access: 'public',
    availability: 'live',
  }),
} as const;
