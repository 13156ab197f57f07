import { defineMethod } from '../define.ts';

export const apiKeys = {
  list: defineMethod({
    name: 'apiKeys.list',
    method: 'GET',
    path: '/v1/developer/keys',
    access: 'session',
    availability: 'designed',
  }),
  create: defineMethod({
    name: 'apiKeys.create',
    method: 'POST',
    path: '/v1/developer/keys',
    access: 'session',
    availability: 'designed',
  }),
  revoke: defineMethod({
    name: 'apiKeys.revoke',
    method: 'DELETE',
    path: '/v1/developer/keys/:id',
    access: 'session',
    availability: 'designed',
  }),
  usage: defineMethod({
    name: 'apiKeys.usage',
    method: 'GET',
    path: '/v1/developer/keys/:id/usage',
    access: 'session',
    availability: 'designed',
  }),
} as const;
