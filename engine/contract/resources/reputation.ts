import { defineMethod } from '../define.ts';

export const reputation = {
  get: defineMethod({
    name: 'reputation.get',
    method: 'GET',
    path: '/v1/distributors/:addressOrHandle/profile',
    access: 'public',
    availability: 'live',
  }),
  mine: defineMethod({
    name: 'reputation.mine',
    method: 'GET',
    path: '/v1/me/reputation',
    access: 'session',
    availability: 'live',
  }),
  updateVisibility: defineMethod({
    name: 'reputation.updateVisibility',
    method: 'PATCH',
    path: '/v1/me/reputation/visibility',
    access: 'session',
    availability: 'live',
  }),
  exportCredential: defineMethod({
    name: 'reputation.exportCredential',
    method: 'POST',
    path: '/v1/me/reputation/credential',
    access: 'session',
    availability: 'designed',
  }),
  credentials: defineMethod({
    name: 'reputation.credentials',
    method: 'GET',
    path: '/v1/me/reputation/credentials',
    access: 'session',
    availability: 'designed',
  }),
  revokeCredential: defineMethod({
    name: 'reputation.revokeCredential',
    method: 'DELETE',
    path: '/v1/me/reputation/credentials/:id',
    access: 'session',
    availability: 'designed',
  }),
  verifyCredential: defineMethod({
    name: 'reputation.verifyCredential',
    method: 'POST',
    path: '/v1/credentials/verify',
    access: 'public',
    availability: 'designed',
  }),
} as const;
