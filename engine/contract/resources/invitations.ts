import { defineMethod } from '../define.ts';

export const invitations = {
  mine: defineMethod({
    name: 'invitations.mine',
    method: 'GET',
    path: '/v1/me/invitations',
    access: 'session',
    availability: 'live',
  }),
  sent: defineMethod({
    name: 'invitations.sent',
    method: 'GET',
    path: '/v1/merchant/invitations',
    access: 'session',
    availability: 'live',
  }),
  send: defineMethod({
    name: 'invitations.send',
    method: 'POST',
    path: '/v1/merchant/invitations',
    access: 'session',
    availability: 'live',
  }),
  respond: defineMethod({
    name: 'invitations.respond',
    method: 'POST',
    path: '/v1/me/invitations/:id',
    access: 'session',
    availability: 'live',
  }),
  withdraw: defineMethod({
    name: 'invitations.withdraw',
    method: 'DELETE',
    path: '/v1/merchant/invitations/:id',
    access: 'session',
    availability: 'live',
  }),
} as const;
