import { defineMethod } from '../define.ts';

export const team = {
  members: defineMethod({
    name: 'team.members',
    method: 'GET',
    path: '/v1/merchant/team',
    access: 'session',
    availability: 'designed',
  }),
  invite: defineMethod({
    name: 'team.invite',
    method: 'POST',
    path: '/v1/merchant/team',
    access: 'session',
    availability: 'designed',
  }),
  updateRole: defineMethod({
    name: 'team.updateRole',
    method: 'PATCH',
    path: '/v1/merchant/team/:id',
    access: 'session',
    availability: 'designed',
  }),
  remove: defineMethod({
    name: 'team.remove',
    method: 'DELETE',
    path: '/v1/merchant/team/:id',
    access: 'session',
    availability: 'designed',
  }),
  audit: defineMethod({
    name: 'team.audit',
    method: 'GET',
    path: '/v1/merchant/team/audit',
    access: 'session',
    availability: 'designed',
  }),
  transferOwnership: defineMethod({
    name: 'team.transferOwnership',
    method: 'POST',
    path: '/v1/merchant/team/transfer',
    access: 'session',
    availability: 'designed',
  }),
} as const;
