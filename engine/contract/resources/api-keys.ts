import { z } from 'zod';
import { del, get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { rangeQuery } from '../shapes/period.ts';
import { Address, ConfirmationToken, Count, Id, Timestamp, textInput } from '../values.ts';

const Scope = z
  .string()
  .regex(/^[A-Za-z]{1,50}\.(?:read|write)$/, 'must be a resource, and .read or .write')
  .describe('A resource of the API, and .read or .write: orders.read.');

const NetworkInput = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: 'must be an IP address or a network in CIDR notation',
  })
  .describe('IP address, or network in CIDR notation.');

const ApiKey = z.strictObject({
  id: Id,
  name: z.string().describe('What its owner calls it.'),
  prefix: z.string().describe('First characters of the secret, to tell keys apart.'),
  merchant: Address.describe('Merchant for which it acts.'),
  scopes: z.array(z.string()).describe('What it may read and write.'),
  addresses: z.array(z.string()).describe('Addresses and networks that may use it; empty for all.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe('To the minute; null if it was never used.'),
  expiresAt: Timestamp.nullable().describe('null if it does not expire.'),
  revokedAt: Timestamp.nullable(),
});

const NewApiKey = ApiKey.extend({
  secret: z.string().describe('The key, for the header Authorization; returned only now.'),
});

const Usage = z.strictObject({
  hourly: z.array(
    z.strictObject({
      at: Timestamp.describe('When the hour begins.'),
      statusClass: z.string().describe('2xx, 3xx, 4xx or 5xx.'),
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

nameSchemas({ ApiKey, NewApiKey, ApiKeyUsage: Usage });

/** Methods for API keys of an account, within a merchant. */
export const apiKeys = resource('apiKeys', {
  about: 'Keys for programs (designed).',
  caller: 'viewer',
  availability: 'optional',
})({
  list: get('/v1/developer/keys', {
    sessionOnly: true,
    summary: 'Keys of the account for the merchant, newest first, without their secrets.',
    input: {},
    output: z.array(ApiKey),
  }),
  create: post('/v1/developer/keys', {
    rights: 'widens',
    summary: 'Makes a key; its secret is returned only now. Requires a fresh signature.',
    input: {
      body: z.strictObject({
        name: textInput(100).min(1).describe('1 to 100 characters.'),
        scopes: z.array(Scope).min(1).max(100).describe('1 to 100.'),
        addresses: z
          .array(NetworkInput)
          .max(20)
          .describe('Addresses that may use it, at most 20; without them all may.')
          .optional(),
        expiresAt: Timestamp.describe('Without it, the key does not expire.').optional(),
        confirmationToken: ConfirmationToken,
      }),
    },
    returnsSecret: true,
    output: NewApiKey,
  }),
  rotate: post('/v1/developer/keys/:id/rotate', {
    documentedName: null,
    rights: 'widens',
    summary:
      'Makes a key with the same rights, and lets the old one expire after an overlap. Requires a fresh signature.',
    input: {
      params,
      body: z.strictObject({
        overlapSeconds: z
          .int()
          .min(0)
          .max(7 * 86_400)
          .describe('Seconds for which both keys are good, at most 7 days; default a day.')
          .optional(),
        confirmationToken: ConfirmationToken,
      }),
    },
    returnsSecret: true,
    output: NewApiKey,
  }),
  revoke: del('/v1/developer/keys/:id', {
    rights: 'narrows',
    summary: 'Ends a key, for good.',
    input: { params },
    output: ApiKey,
  }),
  usage: get('/v1/developer/keys/:id/usage', {
    sessionOnly: true,
    summary: 'Requests of a key: by hour for 90 days, and the newest one by one.',
    input: { params, query: z.strictObject(rangeQuery) },
    output: Usage,
  }),
});
