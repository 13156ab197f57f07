import { defineMethod } from '../define.ts';

export const vault = {
  get: defineMethod({
    name: 'vault.get',
    method: 'GET',
    path: '/v1/merchant/vault',
    access: 'session',
    availability: 'live',
  }),
  movements: defineMethod({
    name: 'vault.movements',
    method: 'GET',
    path: '/v1/merchant/vault/movements',
    access: 'session',
    availability: 'live',
  }),
} as const;
