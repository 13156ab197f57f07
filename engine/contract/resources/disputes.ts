import { defineMethod } from '../define.ts';

export const disputes = {
  open: defineMethod({
    name: 'disputes.open',
    method: 'POST',
    path: '/v1/me/refund-requests',
    access: 'session',
    availability: 'live',
  }),
  list: defineMethod({
    name: 'disputes.list',
    method: 'GET',
    path: '/v1/merchant/disputes',
    access: 'session',
    availability: 'live',
  }),
  get: defineMethod({
    name: 'disputes.get',
    method: 'GET',
    path: '/v1/merchant/disputes/:id',
    access: 'session',
    availability: 'live',
  }),
  respond: defineMethod({
    name: 'disputes.respond',
    method: 'POST',
    path: '/v1/merchant/disputes/:id/responses',
    access: 'session',
    availability: 'live',
  }),
  exposure: defineMethod({
    name: 'disputes.exposure',
    method: 'GET',
    path: '/v1/merchant/disputes/exposure',
    access: 'session',
    availability: 'live',
  }),
} as const;
