import { acceptsIdempotencyKey, type Method } from '../../contract/define.ts';
import { ErrorBody, type ErrorCode, errorCodes, type Issue } from '../../contract/envelope.ts';
import { codeMeanings } from '../errors.ts';
import { limitHeaders, retryAfter } from './headers.ts';
import type { JsonObject, SchemaSet } from './schema.ts';

/** Meaning of an error code, with the message of an example. */
interface FailureText {
  readonly description: string;
  readonly message: string;
  readonly issues?: readonly Issue[];
}

const texts: Readonly<Record<ErrorCode, FailureText>> = {
  VALIDATION_FAILED: {
    description: 'A field is wrong, missing or unknown: `issues` names each.',
    message: 'The request is not valid: see issues.',
    issues: [{ path: 'limit', message: 'must be at most 100' }],
  },
  UNAUTHENTICATED: {
    description: 'The method needs a session.',
    message: 'Sign in first: this method needs a session.',
  },
  FORBIDDEN: {
    description: 'The account may not do this.',
    message: 'Campaign 6 belongs to another merchant.',
  },
  CONFIRMATION_REQUIRED: {
    description: 'The write needs a fresh signature (auth.confirm).',
    message: 'This needs a fresh signature: get a confirmationToken from auth.confirm and send it.',
  },
  CSRF_REJECTED: {
    description: 'The write has no CSRF token of this session.',
    message: 'The header x-csrf-token must be the CSRF token of this session: see auth.session.',
  },
  ORIGIN_REJECTED: {
    description: 'The write does not come from an allowed origin.',
    message: 'The header Origin must be one of the origins that may write here.',
  },
  NOT_FOUND: {
    description: 'There is no such thing, or the route names another chain.',
    message: 'There is no campaign 999.',
  },
  METHOD_NOT_ALLOWED: {
    description: 'The route has other HTTP methods: `Allow` names them.',
    message: 'This route accepts only GET, HEAD.',
  },
  CONFLICT: {
    description: 'The thing was changed meanwhile, or its name is taken.',
    message: 'Another merchant has the slug northlight-studio: northlight-studio-2 is free.',
  },
  IDEMPOTENCY_CONFLICT: {
    description:
      'The idempotency key was used for another request, or for one whose response cannot be returned again.',
    message:
      'This Idempotency-Key was used for another request in the last 24 hours: use a new one.',
  },
  PAYLOAD_TOO_LARGE: {
    description: 'The body or file is too large.',
    message: 'A body may have at most 65536 bytes.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    description: 'The body or file has a wrong type.',
    message: 'The body must be application/json.',
  },
  UNPROCESSABLE: {
    description: 'A business rule forbids it now.',
    message: 'The template single-level comes with the service: it cannot be deleted.',
  },
  RATE_LIMITED: {
    description: 'Too many requests: wait `Retry-After` seconds.',
    message: 'Too many requests: try again in 60 s.',
  },
  INTERNAL: {
    description: 'An error of this service: report the `requestId`.',
    message: 'Something went wrong on our side: report the requestId.',
  },
  METHOD_UNAVAILABLE: {
    description: 'The method is designed, but not available yet.',
    message: 'signers.list is designed, but not available yet.',
  },
  NOT_READY: {
    description: 'The service cannot answer yet: try again after `Retry-After` seconds.',
    message: 'Settlement has not processed its first block yet.',
  },
  STORAGE_FULL: {
    description: 'There is no room for files; nothing was stored.',
    message: 'There is no room for files: nothing was stored.',
  },
};

/** Codes that a method may answer with, in the order of `errorCodes`. A designed method has only one. */
export function codesOf(method: Method): ErrorCode[] {
  if (method.availability === 'designed') return ['METHOD_UNAVAILABLE'];
  const { access, input } = method;
  const isWrite = method.method !== 'GET';
  const needsSession = access === 'session';
  const body = Object.keys(input.body?.shape ?? {});
  const isNamed = acceptsIdempotencyKey(method) || method.idempotencyField !== undefined;
  const possible: Partial<Record<ErrorCode, boolean>> = {
    VALIDATION_FAILED: true,
    UNAUTHENTICATED: needsSession || method.readsSession === true,
    FORBIDDEN: needsSession,
    CONFIRMATION_REQUIRED: body.includes('confirmationToken'),
    CSRF_REJECTED: isWrite && needsSession,
    ORIGIN_REJECTED: isWrite,
    NOT_FOUND: input.params !== undefined || input.narrowed !== undefined || isWrite,
    CONFLICT: isWrite && needsSession,
    IDEMPOTENCY_CONFLICT: isNamed,
    PAYLOAD_TOO_LARGE: isWrite,
    UNSUPPORTED_MEDIA_TYPE: isWrite,
    UNPROCESSABLE: isWrite && needsSession,
    RATE_LIMITED: true,
    INTERNAL: true,
    NOT_READY: true,
    STORAGE_FULL: input.multipart === true,
  };
  return errorCodes.filter((code) => possible[code]);
}

/** Failure responses of a method by status, as references to components. */
export function failuresOf(method: Method): Record<string, JsonObject> {
  return Object.fromEntries(
    [...byStatus(codesOf(method))].map(([status, codes]) => [
      status,
      { $ref: `#/components/responses/${nameOf(codes)}` },
    ]),
  );
}

/** Failure responses of these methods by name: one for each set of codes that share a status. */
export function failureResponses(
  methods: readonly Method[],
  schemas: SchemaSet,
): Record<string, JsonObject> {
  const sets = methods.flatMap((method) => [...byStatus(codesOf(method)).values()]);
  const error = schemas.of(ErrorBody, 'output');
  return Object.fromEntries(sets.map((codes) => [nameOf(codes), responseOf(codes, error)]));
}

/** An example of each error that a method may answer with, by code. */
export function failureExamples(methods: readonly Method[]): Record<string, JsonObject> {
  const codes = new Set(methods.flatMap(codesOf));
  return Object.fromEntries([...codes].map((code) => [code, exampleOf(code)]));
}

function exampleOf(code: ErrorCode): JsonObject {
  const { description, message, issues } = texts[code];
  const error = { code, message, requestId: 'req-1', ...(issues && { issues }) };
  return { summary: description, value: { error } };
}

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = codeMeanings[code];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

/** `FORBIDDEN` and `CSRF_REJECTED` as `ForbiddenOrCsrfRejected`. */
function nameOf(codes: readonly ErrorCode[]): string {
  const pascal = (code: string) =>
    code.toLowerCase().replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());
  return codes.map(pascal).join('Or');
}

function responseOf(codes: readonly ErrorCode[], schema: JsonObject): JsonObject {
  const isRetryable = codes.some((code) => codeMeanings[code].retryable);
  const isCounted = !codes.includes('METHOD_UNAVAILABLE');
  return {
    description: codes.map((code) => `\`${code}\`: ${texts[code].description}`).join(' '),
    headers: { ...(isRetryable && retryAfter), ...(isCounted && limitHeaders) },
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}
