import { defineMethod } from '../define.ts';

export const signers = {
  list: defineMethod({
    name: 'signers.list',
    method: 'GET',
    path: '/v1/merchant/signers',
    access: 'session',
    availability: 'designed',
  }),
  add: defineMethod({
    name: 'signers.add',
    method: 'POST',
    path: '/v1/merchant/signers',
    access: 'session',
    availability: 'designed',
  }),
  revoke: defineMethod({
    name: 'signers.revoke',
    method: 'DELETE',
    path: '/v1/merchant/signers/:id',
    access: 'session',
    availability: 'designed',
  }),
  attestations: defineMethod({
    name: 'signers.attestations',
    method: 'GET',
    path: '/v1/merchant/signers/:id/attestations',
    access: 'session',
    availability: 'designed',
  }),
} as const;
