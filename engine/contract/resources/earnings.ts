import { defineMethod } from '../define.ts';

export const earnings = {
  summary: defineMethod({
    name: 'earnings.summary',
    method: 'GET',
    path: '/v1/me/earnings',
    access: 'session',
    availability: 'live',
  }),
  byCampaign: defineMethod({
    name: 'earnings.byCampaign',
    method: 'GET',
    path: '/v1/me/earnings/campaigns',
    access: 'session',
    availability: 'live',
  }),
  byConversion: defineMethod({
    name: 'earnings.byConversion',
    method: 'GET',
    path: '/v1/me/earnings/conversions',
    access: 'session',
    availability: 'live',
  }),
  missed: defineMethod({
    name: 'earnings.missed',
    method: 'GET',
    path: '/v1/me/earnings/missed',
    access: 'session',
    availability: 'live',
  }),
  claimable: defineMethod({
    name: 'earnings.claimable',
    method: 'GET',
    path: '/v1/me/claimable',
    access: 'session',
    availability: 'live',
  }),
  claims: defineMethod({
    name: 'earnings.claims',
    method: 'GET',
    path: '/v1/me/claims',
    access: 'session',
    availability: 'live',
  }),
} as const;
