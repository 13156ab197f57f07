import { z } from 'zod';
import { del, get, patch, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Period } from '../shapes/period.ts';
import { WebhookMessage } from '../shapes/webhook.ts';
import {
  ConfirmationToken,
  Count,
  Done,
  Id,
  pageOf,
  pageQuery,
  Timestamp,
  textInput,
  Uri,
} from '../values.ts';

const Endpoint = z.strictObject({
  id: Id,
  url: Uri.describe('Where events are sent.'),
  events: z.array(z.string()).describe('Names of the events that are sent.'),
  enabled: z.boolean(),
  ordered: z.boolean().describe('Whether the events of a campaign wait for each other.'),
  failingSince: Timestamp.nullable().describe('Since when every attempt has failed; null if not.'),
  disabledReason: z.string().nullable().describe('Why the service turned it off; null if not.'),
  createdAt: Timestamp,
});

const NewEndpoint = Endpoint.extend({
  secret: z.string().describe('Signs deliveries; returned only now.'),
});

const Delivery = z.strictObject({
  id: Id,
  endpointId: Id,
  eventId: Id.describe('Also the header webhook-id: the same for every attempt and replay.'),
  type: z.string().describe('Name of the event, as in the body.'),
  attempt: z.int().min(1),
  status: z
    .enum(['queued', 'sending', 'delivered', 'failed', 'cancelled'])
    .describe('cancelled: its event was retracted before it was sent.'),
  httpStatus: z.int().nullable().describe('Status of the response; null if there is none.'),
  nextAttemptAt: Timestamp.nullable().describe(
    'null if there is no further attempt, or it waits for the finality of its block.',
  ),
  createdAt: Timestamp,
});

const Attempt = z.strictObject({
  attempt: z.int().min(1),
  at: Timestamp,
  latencyMs: Count.describe('Milliseconds.'),
  httpStatus: z.int().nullable(),
  error: z.string().nullable().describe('Why there was no answer; null if there was one.'),
  excerpt: z.string().nullable().describe('The first characters of the answer.'),
});

const DeliveryDetail = Delivery.extend({
  body: WebhookMessage.describe('What is sent with each attempt.'),
  attempts: z.array(Attempt).describe('Oldest first.'),
});

const events = z
  .array(textInput(100).min(1))
  .min(1)
  .max(50)
  .describe('1 to 50 names: sale.recorded, sale.*, or *; with @safe or @finalized to wait.');
const ordered = z
  .boolean()
  .describe('Whether the events of a campaign wait for each other; default false.')
  .optional();
const params = z.strictObject({ id: Id });

nameSchemas({
  WebhookEndpoint: Endpoint,
  NewWebhookEndpoint: NewEndpoint,
  WebhookDelivery: Delivery,
  WebhookAttempt: Attempt,
  WebhookDeliveryDetail: DeliveryDetail,
});

/** Methods for webhooks of an account: a merchant's, a distributor's or a buyer's. */
export const webhooks = resource('webhooks', {
  about: 'Events sent to endpoints (designed).',
  caller: 'admin',
  availability: 'optional',
})({
  list: get('/v1/developer/webhooks', {
    caller: 'viewer',
    summary: 'Endpoints that events are sent to.',
    input: {},
    output: z.array(Endpoint),
  }),
  create: post('/v1/developer/webhooks', {
    rights: 'widens',
    summary:
      'Adds an endpoint for events of later blocks; its secret is returned only now. Requires a fresh signature.',
    input: {
      body: z.strictObject({
        url: Uri.max(2_048).describe('Where to send events.'),
        events,
        ordered,
        confirmationToken: ConfirmationToken,
      }),
    },
    returnsSecret: true,
    output: NewEndpoint,
  }),
  test: post('/v1/developer/webhooks/:id/test', {
    summary: 'Sends a test event.',
    input: { params },
    output: Delivery,
  }),
  deliveries: get('/v1/developer/webhooks/:id/deliveries', {
    caller: 'viewer',
    summary: 'Deliveries to an endpoint of the last 30 days, newest first.',
    input: { params, query: z.strictObject(pageQuery) },
    output: pageOf(Delivery),
  }),
  delivery: get('/v1/developer/webhooks/deliveries/:id', {
    documentedName: null,
    caller: 'viewer',
    summary: 'A delivery with its body and its attempts.',
    input: { params },
    output: DeliveryDetail,
  }),
  update: patch('/v1/developer/webhooks/:id', {
    rights: 'widens',
    summary:
      'Changes the events of an endpoint or its order, or turns it on or off. Requires a fresh signature.',
    input: {
      params,
      body: z.strictObject({
        events: events.optional(),
        enabled: z.boolean().optional(),
        ordered,
        confirmationToken: ConfirmationToken,
      }),
    },
    output: Endpoint,
  }),
  rotateSecret: post('/v1/developer/webhooks/:id/secret', {
    rights: 'widens',
    summary: 'Makes a new secret; the old one signs too for 24 hours. Requires a fresh signature.',
    input: { params, body: z.strictObject({ confirmationToken: ConfirmationToken }) },
    returnsSecret: true,
    output: z.strictObject({
      secret: z.string().describe('Returned only now.'),
      oldSecretExpiresAt: Timestamp.describe('Time until which the old one signs too.'),
    }),
  }),
  remove: del('/v1/developer/webhooks/:id', {
    rights: 'narrows',
    summary: 'Removes an endpoint and its deliveries.',
    input: { params },
    output: Done,
  }),
  replay: post('/v1/developer/webhooks/deliveries/:id/replay', {
    summary: 'Sends a past delivery again.',
    input: { params },
    output: Delivery,
  }),
  replayRange: post('/v1/developer/webhooks/:id/replay', {
    documentedName: null,
    summary: 'Sends the events of a period again, the oldest 1000 that were not retracted.',
    input: {
      params,
      body: z.strictObject({
        range: Period,
        onlyFailed: z.boolean().describe('Only those that failed; default true.').optional(),
      }),
    },
    output: z.strictObject({ replayed: Count }),
  }),
});
