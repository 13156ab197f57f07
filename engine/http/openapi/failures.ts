import { z } from 'zod';
import type { Method } from '../../contract/define.ts';
import { ErrorBody, type ErrorCode } from '../../contract/envelope.ts';
import type { Json } from './schema.ts';
import { schemaOf } from './schema.ts';

/** A status that failures have, and what an example of it says. */
interface Status {
  readonly status: number;
  readonly code: ErrorCode;
  readonly description: string;
  readonly issues?: { readonly path: string; readonly message: string }[];
  readonly retryAfter?: true;
}

const statuses = {
  ValidationFailed: {
    status: 400,
    code: 'VALIDATION_FAILED',
    description: 'A field is wrong, missing or unknown: `issues` names each.',
    issues: [{ path: 'limit', message: 'Too big: expected number to be <=100' }],
  },
  Unauthenticated: { status: 401, code: 'UNAUTHENTICATED', description: 'It needs a session.' },
  Forbidden: {
    status: 403,
    code: 'FORBIDDEN',
    description:
      'Not for this account (FORBIDDEN, CSRF_REJECTED or ORIGIN_REJECTED), or not without a fresh signature (CONFIRMATION_REQUIRED).',
  },
  NotFound: { status: 404, code: 'NOT_FOUND', description: 'There is no such thing here.' },
  Conflict: {
    status: 409,
    code: 'CONFLICT',
    description: 'It does not fit what is there (CONFLICT or IDEMPOTENCY_CONFLICT).',
  },
  PayloadTooLarge: {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is longer than is read.',
  },
  UnsupportedMediaType: {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The body is of another type than is read.',
  },
  Unprocessable: {
    status: 422,
    code: 'UNPROCESSABLE',
    description: 'A rule of the business forbids it now.',
  },
  RateLimited: {
    status: 429,
    code: 'RATE_LIMITED',
    description: 'Too many requests: wait for Retry-After seconds.',
    retryAfter: true,
  },
  Internal: { status: 500, code: 'INTERNAL', description: 'Our fault: report the requestId.' },
  MethodUnavailable: {
    status: 501,
    code: 'METHOD_UNAVAILABLE',
    description: 'The method is defined, and not available.',
  },
  NotReady: {
    status: 503,
    code: 'NOT_READY',
    description: 'The service cannot answer yet: try again after Retry-After seconds.',
    retryAfter: true,
  },
  StorageFull: {
    status: 507,
    code: 'STORAGE_FULL',
    description: 'There is no room for files: nothing was stored.',
  },
} as const satisfies Record<string, Status>;

type Failure = keyof typeof statuses;

/** The responses that failures share, by name, with an example of each. */
export function failureResponses(): Record<string, Json> {
  return Object.fromEntries(
    Object.entries<Status>(statuses).map(([name, failure]) => [name, responseOf(failure)]),
  );
}

/** The schema of every failure. */
export function errorSchema(): Json {
  return schemaOf(ErrorBody, 'output');
}

/** References to the failures that a method may answer, by status. */
export function failuresOf(method: Method): Record<string, Json> {
  const isWrite = method.method !== 'GET';
  const names: Failure[] = [
    'ValidationFailed',
    ...(method.access === 'session' ? (['Unauthenticated', 'Forbidden'] as const) : []),
    ...(method.access === 'public' && isWrite ? (['Forbidden'] as const) : []),
    ...(method.input?.params ? (['NotFound'] as const) : []),
    ...(isWrite ? (['PayloadTooLarge', 'UnsupportedMediaType'] as const) : []),
    ...(isWrite && method.access === 'session' ? (['Conflict', 'Unprocessable'] as const) : []),
    ...(['RateLimited', 'Internal', 'NotReady'] as const),
    ...(method.input?.multipart ? (['StorageFull'] as const) : []),
    ...(method.availability === 'designed' ? (['MethodUnavailable'] as const) : []),
  ];
  return Object.fromEntries(
    names.map((name) => [statuses[name].status, { $ref: `#/components/responses/${name}` }]),
  );
}

function responseOf({ code, description, issues, retryAfter }: Status): Json {
  const seconds = schemaOf(z.int().min(1).describe('Seconds to wait.'), 'output');
  return {
    description,
    ...(retryAfter ? { headers: { 'Retry-After': { schema: seconds } } } : {}),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: {
          error: { code, message: description, requestId: 'req-1', ...(issues && { issues }) },
        },
      },
    },
  };
}
