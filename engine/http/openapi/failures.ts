import { z } from 'zod';
import type { Method } from '../../contract/define.ts';
import { ErrorBody, type ErrorCode, type Issue } from '../../contract/envelope.ts';
import { codeMeanings } from '../errors.ts';
import type { JsonObject } from './schema.ts';
import { schemaOf } from './schema.ts';

/** Response that failures of one status share, with its most frequent code as the example. */
interface FailureResponse {
  readonly code: ErrorCode;
  readonly description: string;
  readonly issues?: readonly Issue[];
}

const responses = {
  ValidationFailed: {
    code: 'VALIDATION_FAILED',
    description: 'A field is wrong, missing or unknown: `issues` names each.',
    issues: [{ path: 'limit', message: 'must be at most 100' }],
  },
  Unauthenticated: { code: 'UNAUTHENTICATED', description: 'It needs a session.' },
  Forbidden: {
    code: 'FORBIDDEN',
    description:
      'Not for this account (FORBIDDEN, CSRF_REJECTED or ORIGIN_REJECTED), or not without a fresh signature (CONFIRMATION_REQUIRED).',
  },
  NotFound: { code: 'NOT_FOUND', description: 'There is no such thing here.' },
  Conflict: {
    code: 'CONFLICT',
    description: 'It does not fit what is there (CONFLICT or IDEMPOTENCY_CONFLICT).',
  },
  PayloadTooLarge: {
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is longer than is read.',
  },
  UnsupportedMediaType: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The body is of another type than is read.',
  },
  Unprocessable: {
    code: 'UNPROCESSABLE',
    description: 'A rule of the business forbids it now.',
  },
  RateLimited: {
    code: 'RATE_LIMITED',
    description: 'Too many requests: wait for Retry-After seconds.',
  },
  Internal: { code: 'INTERNAL', description: 'Our fault: report the requestId.' },
  MethodUnavailable: {
    code: 'METHOD_UNAVAILABLE',
    description: 'The method is defined, and not available.',
  },
  NotReady: {
    code: 'NOT_READY',
    description: 'The service cannot answer yet: try again after Retry-After seconds.',
  },
  StorageFull: {
    code: 'STORAGE_FULL',
    description: 'There is no room for files: nothing was stored.',
  },
} as const satisfies Record<string, FailureResponse>;

type ResponseName = keyof typeof responses;

/** Shared failure responses by name, each with an example. */
export function failureResponses(): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries<FailureResponse>(responses).map(([name, failure]) => [
      name,
      responseOf(failure),
    ]),
  );
}

/** JSON Schema of every failure. */
export function errorSchema(): JsonObject {
  return schemaOf(ErrorBody, 'output');
}

/** References to the failure responses that a method may return, by status. */
export function failuresOf(method: Method): Record<string, JsonObject> {
  const isWrite = method.method !== 'GET';
  const names: ResponseName[] = [
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
    names.map((name) => [
      codeMeanings[responses[name].code].status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}

function responseOf({ code, description, issues }: FailureResponse): JsonObject {
  const { retryable } = codeMeanings[code];
  const seconds = schemaOf(z.int().min(1).describe('Seconds to wait.'), 'output');
  return {
    description,
    ...(retryable ? { headers: { 'Retry-After': { schema: seconds } } } : {}),
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
