import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { rangeQuery } from '../shapes/period.ts';
import { Count, Id, Timestamp, textInput } from '../values.ts';

const ApiKey = z.strictObject({
  id: Id,
  name: z.string().describe('What its owner calls it.'),
  prefix: z.string().describe('First characters of the secret, to tell keys apart.'),
  scopes: z.array(z.string()).describe('What it may do.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable().describe('null if it does not expire.'),
  revokedAt: Timestamp.nullable(),
});

const Usage = z.strictObject({
  hourly: z.array(
    z.strictObject({
      at: Timestamp.describe('When the hour begins.'),
      statusClass: z.string().describe('2xx, 4xx or 5xx.'),
      count: Count,
    }),
  ),
  requests: z
    .array(
      z.strictObject({
        at: Timestamp,
        method: z.string(),
        path: z.string(),
        requestId: z.string(),
        status: z.int().describe('HTTP status.'),
        latencyMs: z.number().min(0).describe('Milliseconds.'),
      }),
    )
    .max(50)
    .describe('The newest, 50 at most.'),
});

const params = z.strictObject({ id: Id });

nameSchemas({ ApiKey, ApiKeyUsage: Usage });

/** Methods for aPI keys of an account. They are not built yet. */
export const apiKeys = {
  list: defineMethod({
    name: 'apiKeys.list',
    method: 'GET',
    path: '/v1/developer/keys',
    access: 'session',
    availability: 'designed',
    summary: 'Keys of the account, without their secrets.',
    input: {},
    output: z.array(ApiKey),
  }),
  create: defineMethod({
    name: 'apiKeys.create',
    method: 'POST',
    path: '/v1/developer/keys',
    access: 'session',
    availability: 'designed',
    summary: 'Makes a key; its secret is returned only now.',
    input: {
      body: z.strictObject({
        name: textInput(100).min(1).describe('1 to 100 characters.'),
        scopes: z.array(textInput(100).min(1)).min(1).max(50).describe('1 to 50.'),
        expiresAt: Timestamp.describe('Without it, the key does not expire.').optional(),
      }),
    },
    output: ApiKey.extend({ secret: z.string().describe('Returned only now.') }),
  }),
  revoke: defineMethod({
    name: 'apiKeys.revoke',
    method: 'DELETE',
    path: '/v1/developer/keys/:id',
    access: 'session',
    availability: 'designed',
    summary: 'Ends a key, for good.',
    input: { params },
    output: ApiKey,
  }),
  usage: defineMethod({
    name: 'apiKeys.usage',
    method: 'GET',
    path: '/v1/developer/keys/:id/usage',
    access: 'session',
    availability: 'designed',
    summary: 'Requests of a key: by hour, and the newest one by one.',
    input: { params, query: z.strictObject(rangeQuery) },
    output: Usage,
  }),
} as const;
