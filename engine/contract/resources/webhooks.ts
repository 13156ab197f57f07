import { defineMethod } from '../define.ts';

export const webhooks = {
  list: defineMethod({
    name: 'webhooks.list',
    method: 'GET',
    path: '/v1/developer/webhooks',
    access: 'session',
    availability: 'designed',
  }),
  create: defineMethod({
    name: 'webhooks.create',
    method: 'POST',
    path: '/v1/developer/webhooks',
    access: 'session',
    availability: 'designed',
  }),
  test: defineMethod({
    name: 'webhooks.test',
    method: 'POST',
    path: '/v1/developer/webhooks/:id/test',
    access: 'session',
    availability: 'designed',
  }),
  deliveries: defineMethod({
    name: 'webhooks.deliveries',
    method: 'GET',
    path: '/v1/developer/webhooks/:id/deliveries',
    access: 'session',
    availability: 'designed',
  }),
  update: defineMethod({
    name: 'webhooks.update',
    method: 'PATCH',
    path: '/v1/developer/webhooks/:id',
    access: 'session',
    availability: 'designed',
  }),
  rotateSecret: defineMethod({
    name: 'webhooks.rotateSecret',
    method: 'POST',
    path: '/v1/developer/webhooks/:id/secret',
    access: 'session',
    availability: 'designed',
  }),
  remove: defineMethod({
    name: 'webhooks.remove',
    method: 'DELETE',
    path: '/v1/developer/webhooks/:id',
    access: 'session',
    availability: 'designed',
  }),
  replay: defineMethod({
    name: 'webhooks.replay',
    method: 'POST',
    path: '/v1/developer/webhooks/deliveries/:id/replay',
    access: 'session',
    availability: 'designed',
  }),
} as const;
