import { defineMethod } from '../define.ts';

export const communities = {
  list: defineMethod({
    name: 'communities.list',
    method: 'GET',
    path: '/v1/communities',
    access: 'session',
    availability: 'designed',
  }),
  get: defineMethod({
    name: 'communities.get',
    method: 'GET',
    path: '/v1/communities/:id',
    access: 'session',
    availability: 'designed',
  }),
  create: defineMethod({
    name: 'communities.create',
    method: 'POST',
    path: '/v1/communities',
    access: 'session',
    availability: 'designed',
  }),
  members: defineMethod({
    name: 'communities.members',
    method: 'GET',
    path: '/v1/communities/:id/members',
    access: 'session',
    availability: 'designed',
  }),
  join: defineMethod({
    name: 'communities.join',
    method: 'POST',
    path: '/v1/communities/:id/members',
    access: 'session',
    availability: 'designed',
  }),
  leave: defineMethod({
    name: 'communities.leave',
    method: 'DELETE',
    path: '/v1/communities/:id/members/me',
    access: 'session',
    availability: 'designed',
  }),
  update: defineMethod({
    name: 'communities.update',
    method: 'PATCH',
    path: '/v1/communities/:id',
    access: 'session',
    availability: 'designed',
  }),
} as const;
