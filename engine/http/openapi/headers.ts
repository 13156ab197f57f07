// Headers of requests and responses (docs/reference/api.md, "Limits", "From other sites" and "Repeating a write").
import { acceptsIdempotencyKey, type Method } from '../../contract/define.ts';
import { streamMethod } from '../../contract/stream.ts';
import { isForEverybody } from '../public-reads.ts';
import type { JsonObject } from './schema.ts';

const text = { type: 'string' };

/** Headers of responses, by the names of their components. */
export const headerComponents: Readonly<Record<string, JsonObject>> = {
  RetryAfter: {
    description: 'Seconds to wait.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  RateLimit: {
    description: 'Requests that remain (`r`), and seconds until the counter starts again (`t`).',
    schema: text,
    example: '"address";r=1199;t=60',
  },
  RateLimitPolicy: {
    description: 'Limits that count this request: requests (`q`) in a window of seconds (`w`).',
    schema: text,
    example: '"address";q=1200;w=60',
  },
  ETag: {
    description: 'Tag of the data, for `If-None-Match`.',
    schema: text,
    example: 'W/"QmlnIGVub3VnaCBmb3IgU0hBLTE"',
  },
  CacheControl: {
    description:
      '`public, no-cache`; if the request names a block whose events are final, `public, max-age=86400, immutable`.',
    schema: text,
    example: 'public, no-cache',
  },
  IdempotencyReplayed: {
    description: '`true` if this is the response of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
};

const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Header of responses after which the same request may be sent again. */
export const retryAfter = { 'Retry-After': reference('RetryAfter') };

/** Headers of responses to requests that are counted. */
export const limitHeaders = {
  RateLimit: reference('RateLimit'),
  'RateLimit-Policy': reference('RateLimitPolicy'),
};

const validators = { ETag: reference('ETag'), 'Cache-Control': reference('CacheControl') };

/** True for a read whose response has a tag, so that it can be read conditionally. */
function hasTag(method: Method): boolean {
  return method.method === 'GET' && isForEverybody(method) && method.name !== streamMethod.name;
}

/** Headers of a method's success. */
export function successHeaders(method: Method): JsonObject {
  return {
    ...limitHeaders,
    ...(hasTag(method) && validators),
    ...(acceptsIdempotencyKey(method) &&
      !method.returnsSecret && {
        'idempotency-replayed': reference('IdempotencyReplayed'),
      }),
  };
}

/** The response 304 of a read that has a tag. */
export function notModifiedOf(method: Method): JsonObject {
  if (!hasTag(method)) return {};
  return { 304: { $ref: '#/components/responses/NotModified' } };
}

/** Response to a conditional read whose data are still the same. */
export const notModified: JsonObject = {
  description: 'The data are those of the tag in `If-None-Match`.',
  headers: { ...limitHeaders, ...validators },
};

const idempotencyKey = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
  example: 'order-2025-0001',
};

/** Header parameters that several methods share, by the names of their components. */
export const headerParameters: Readonly<Record<string, JsonObject>> = {
  IdempotencyKey: {
    ...idempotencyKey,
    description:
      'A name that the client gives to this write: a repeated request gets the same response for a day, and does nothing.',
  },
  IdempotencyKeyOfSecret: {
    ...idempotencyKey,
    description:
      'A name that the client gives to this write. A repeated request does nothing for a day, and gets 409 IDEMPOTENCY_CONFLICT: the secret in the response is returned only once.',
  },
  IfNoneMatch: {
    name: 'if-none-match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of an earlier response: while its data are the same, the answer is 304.',
    schema: text,
    example: 'W/"QmlnIGVub3VnaCBmb3IgU0hBLTE"',
  },
};

/** Header parameters of a method. */
export function headersOf(method: Method): JsonObject[] {
  const { idempotencyField: field } = method;
  const own = {
    name: 'idempotency-key',
    in: 'header',
    required: true,
    description: `The value of ${field}: the same key and body answer the first answer again.`,
    schema: { type: 'string', maxLength: 200 },
  };
  return [
    ...(field === undefined ? [] : [own]),
    ...(acceptsIdempotencyKey(method)
      ? [parameter(method.returnsSecret ? 'IdempotencyKeyOfSecret' : 'IdempotencyKey')]
      : []),
    ...(hasTag(method) ? [parameter('IfNoneMatch')] : []),
  ];
}

function parameter(name: keyof typeof headerParameters): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}
