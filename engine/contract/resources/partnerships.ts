import { defineMethod } from '../define.ts';

export const partnerships = {
  list: defineMethod({
    name: 'partnerships.list',
    method: 'GET',
    path: '/v1/partnerships',
    access: 'session',
    availability: 'designed',
  }),
  propose: defineMethod({
    name: 'partnerships.propose',
    method: 'POST',
    path: '/v1/partnerships',
    access: 'session',
    availability: 'designed',
  }),
  respond: defineMethod({
    name: 'partnerships.respond',
    method: 'POST',
    path: '/v1/partnerships/:id/responses',
    access: 'session',
    availability: 'designed',
  }),
  terminate: defineMethod({
    name: 'partnerships.terminate',
    method: 'POST',
    path: '/v1/partnerships/:id/terminate',
    access: 'session',
    availability: 'designed',
  }),
} as const;
