import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Id, pageOf, pageQuery, Timestamp, textInput, Uri } from '../values.ts';

const Endpoint = z.strictObject({
  id: Id,
  url: Uri.describe('Where events are sent.'),
  events: z.array(z.string()).describe('Names of the events that are sent.'),
  enabled: z.boolean(),
  createdAt: Timestamp,
});

const Delivery = z.strictObject({
  id: Id,
  endpointId: Id,
  eventId: Id,
  attempt: z.int().min(1),
  status: z.enum(['queued', 'sending', 'delivered', 'failed', 'cancelled']),
  httpStatus: z.int().nullable().describe('Status of the response; null if there is none.'),
  nextAttemptAt: Timestamp.nullable().describe('null if there is no further attempt.'),
  createdAt: Timestamp,
});

const events = z.array(textInput(100).min(1)).min(1).max(50).describe('1 to 50 names.');
const params = z.strictObject({ id: Id });
const ok = z.strictObject({ ok: z.literal(true) });

nameSchemas({ WebhookEndpoint: Endpoint, WebhookDelivery: Delivery });

/** Methods for webhooks of an account. They are not built yet. */
export const webhooks = {
  list: defineMethod({
    name: 'webhooks.list',
    method: 'GET',
    path: '/v1/developer/webhooks',
    access: 'session',
    availability: 'designed',
    summary: 'Endpoints that events are sent to.',
    input: {},
    output: z.array(Endpoint),
  }),
  create: defineMethod({
    name: 'webhooks.create',
    method: 'POST',
    path: '/v1/developer/webhooks',
    access: 'session',
    availability: 'designed',
    summary: 'Adds an endpoint; its secret is returned only now.',
    input: {
      body: z.strictObject({ url: Uri.describe('Where to send events.'), events }),
    },
    output: Endpoint.extend({
      secret: z.string().describe('Signs deliveries; returned only now.'),
    }),
  }),
  test: defineMethod({
    name: 'webhooks.test',
    method: 'POST',
    path: '/v1/developer/webhooks/:id/test',
    access: 'session',
    availability: 'designed',
    summary: 'Sends a test event.',
    input: { params },
    output: Delivery,
  }),
  deliveries: defineMethod({
    name: 'webhooks.deliveries',
    method: 'GET',
    path: '/v1/developer/webhooks/:id/deliveries',
    access: 'session',
    availability: 'designed',
    summary: 'Deliveries to an endpoint, newest first.',
    input: { params, query: z.strictObject(pageQuery) },
    output: pageOf(Delivery),
  }),
  update: defineMethod({
    name: 'webhooks.update',
    method: 'PATCH',
    path: '/v1/developer/webhooks/:id',
    access: 'session',
    availability: 'designed',
    summary: 'Changes the events of an endpoint, or turns it on or off.',
    input: {
      params,
      body: z.strictObject({ events: events.optional(), enabled: z.boolean().optional() }),
    },
    output: Endpoint,
  }),
  rotateSecret: defineMethod({
    name: 'webhooks.rotateSecret',
    method: 'POST',
    path: '/v1/developer/webhooks/:id/secret',
    access: 'session',
    availability: 'designed',
    summary: 'Makes a new secret; the old one stays valid for a while.',
    input: { params },
    output: z.strictObject({
      secret: z.string().describe('Returned only now.'),
      oldSecretExpiresAt: Timestamp.describe('Time until which the old one signs too.'),
    }),
  }),
  remove: defineMethod({
    name: 'webhooks.remove',
    method: 'DELETE',
    path: '/v1/developer/webhooks/:id',
    access: 'session',
    availability: 'designed',
    summary: 'Removes an endpoint.',
    input: { params },
    output: ok,
  }),
  replay: defineMethod({
    name: 'webhooks.replay',
    method: 'POST',
    path: '/v1/developer/webhooks/deliveries/:id/replay',
    access: 'session',
    availability: 'designed',
    summary: 'Sends a past delivery again.',
    input: { params },
    output: Delivery,
  }),
} as const;
