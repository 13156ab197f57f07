import { defineMethod } from '../define.ts';

export const subscriptions = {
  list: defineMethod({
    name: 'subscriptions.list',
    method: 'GET',
    path: '/v1/merchant/subscriptions',
    access: 'session',
    availability: 'designed',
  }),
  get: defineMethod({
    name: 'subscriptions.get',
    method: 'GET',
    path: '/v1/merchant/subscriptions/:id',
    access: 'session',
    availability: 'designed',
  }),
  save: defineMethod({
    name: 'subscriptions.save',
    method: 'PUT',
    path: '/v1/merchant/subscriptions/:id',
    access: 'session',
    availability: 'designed',
  }),
} as const;
