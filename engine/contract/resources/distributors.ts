import { defineMethod } from '../define.ts';

export const distributors = {
  list: defineMethod({
    name: 'distributors.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/distributors',
    access: 'public',
    availability: 'live',
  }),
  get: defineMethod({
    name: 'distributors.get',
    method: 'GET',
    path: '/v1/distributors/:address',
    access: 'public',
    availability: 'live',
  }),
  recommendations: defineMethod({
    name: 'distributors.recommendations',
    method: 'GET',
    path: '/v1/merchant/recommendations',
    access: 'session',
    availability: 'designed',
  }),
} as const;
