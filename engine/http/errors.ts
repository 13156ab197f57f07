import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorCode, Issue } from '../contract/envelope.ts';
import { NotSettledError } from '../db/read/snapshot.ts';

/** The request is not what the contract asks for; each issue names its field. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';

  constructor(readonly issues: readonly Issue[]) {
    super('The request is not valid: see issues.');
  }
}

/** It needs somebody signed in. */
export class UnauthenticatedError extends Error {
  override readonly name = 'UnauthenticatedError';
}

/** A write of a session, from a browser origin that may not. */
export class OriginRejectedError extends Error {
  override readonly name = 'OriginRejectedError';

  constructor() {
    super('The header Origin must be one of the origins that may write here.');
  }
}

/** A write of a session without its CSRF token. */
export class CsrfRejectedError extends Error {
  override readonly name = 'CsrfRejectedError';

  constructor() {
    super('The header x-csrf-token must be the CSRF token of this session: see auth.session.');
  }
}

/** It is not the caller's to do. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
}

/** A sensitive write without a signature of the last minutes. */
export class ConfirmationRequiredError extends Error {
  override readonly name = 'ConfirmationRequiredError';

  constructor() {
    super('This needs a fresh signature: get a confirmationToken from auth.confirm, and send it.');
  }
}

/** It does not fit what is there: somebody changed it, or took the name. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/** The idempotency key was used before, for something else. */
export class IdempotencyConflictError extends Error {
  override readonly name = 'IdempotencyConflictError';
}

/** A rule of the business forbids it now; issues, where there are any, name the fields. */
export class UnprocessableError extends Error {
  override readonly name = 'UnprocessableError';

  constructor(
    message: string,
    readonly issues: readonly Issue[] = [],
  ) {
    super(message);
  }
}

/** There is no such thing. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** The route is there, for other verbs. */
export class MethodNotAllowedError extends Error {
  override readonly name = 'MethodNotAllowedError';

  constructor(readonly allow: readonly string[]) {
    super(`This route answers ${allow.join(', ')} only.`);
  }
}

/** The method is designed, and not available. */
export class MethodUnavailableError extends Error {
  override readonly name = 'MethodUnavailableError';
}

/** The body is longer than is read. */
export class PayloadTooLargeError extends Error {
  override readonly name = 'PayloadTooLargeError';
}

/** The body is of another type than the method reads. */
export class UnsupportedMediaTypeError extends Error {
  override readonly name = 'UnsupportedMediaTypeError';
}

/** As much of it runs at once as may. */
export class TooManyAtOnceError extends Error {
  override readonly name = 'TooManyAtOnceError';
}

/** The address, the account or the session asks too often. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';

  constructor(readonly retryAfterSeconds: number) {
    super(`Too many requests: try again in ${retryAfterSeconds} s.`);
  }
}

/** The request took longer than any may. */
export class TimedOutError extends HTTPException {
  override readonly name = 'TimedOutError';

  constructor() {
    super(503, { message: 'This took too long just now: try again.' });
  }
}

/** The storage of files has no room for another one. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';

  constructor() {
    super('There is no room for files just now: nothing was stored.');
  }
}

/** The storage of files does not work. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';

  constructor() {
    super('The storage of files does not answer just now: nothing was stored, try again.');
  }
}

/** The service cannot answer yet; each issue names the part that is not there. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';

  constructor(readonly issues: readonly Issue[]) {
    super(issues.map(({ message }) => message).join(' '));
  }
}

/** What an error becomes on the wire. */
export interface Failure {
  readonly status: ContentfulStatusCode;
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues?: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Seconds after which a try is worth it again. */
const RETRY_AFTER_SECONDS = 2;

type ErrorClass = abstract new (...args: never[]) => Error;

/** The one table from class to status and code. */
const table: readonly (readonly [ErrorClass, ContentfulStatusCode, ErrorCode])[] = [
  [ValidationError, 400, 'VALIDATION_FAILED'],
  [UnauthenticatedError, 401, 'UNAUTHENTICATED'],
  [OriginRejectedError, 403, 'ORIGIN_REJECTED'],
  [CsrfRejectedError, 403, 'CSRF_REJECTED'],
  [ForbiddenError, 403, 'FORBIDDEN'],
  [ConfirmationRequiredError, 403, 'CONFIRMATION_REQUIRED'],
  [NotFoundError, 404, 'NOT_FOUND'],
  [MethodNotAllowedError, 405, 'METHOD_NOT_ALLOWED'],
  [ConflictError, 409, 'CONFLICT'],
  [IdempotencyConflictError, 409, 'IDEMPOTENCY_CONFLICT'],
  [PayloadTooLargeError, 413, 'PAYLOAD_TOO_LARGE'],
  [UnsupportedMediaTypeError, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  [UnprocessableError, 422, 'UNPROCESSABLE'],
  [TooManyAtOnceError, 429, 'RATE_LIMITED'],
  [RateLimitedError, 429, 'RATE_LIMITED'],
  [MethodUnavailableError, 501, 'METHOD_UNAVAILABLE'],
  [NotReadyError, 503, 'NOT_READY'],
  [NotSettledError, 503, 'NOT_READY'],
  [TimedOutError, 503, 'NOT_READY'],
  [StorageUnavailableError, 503, 'NOT_READY'],
  [StorageFullError, 507, 'STORAGE_FULL'],
];

/** What to answer to an error. Whatever the table does not name is ours, and told to nobody. */
export function failureOf(error: unknown): Failure {
  for (const [errorClass, status, code] of table) {
    if (!(error instanceof errorClass)) continue;
    const { message } = error;
    return { status, code, message, ...issuesOf(error), headers: headersOf(error, status) };
  }
  if (isDatabaseOutage(error)) {
    const message = 'The database does not answer just now: try again.';
    return { status: 503, code: 'NOT_READY', message, headers: headersOf(error, 503) };
  }
  const message = 'Something went wrong on our side: report the requestId.';
  return { status: 500, code: 'INTERNAL', message, headers: {} };
}

function issuesOf(error: unknown): Pick<Failure, 'issues'> {
  if (error instanceof UnprocessableError && error.issues.length === 0) return {};
  const told =
    error instanceof ValidationError ||
    error instanceof NotReadyError ||
    error instanceof UnprocessableError;
  return told ? { issues: error.issues } : {};
}

function headersOf(error: unknown, status: number): Record<string, string> {
  if (error instanceof MethodNotAllowedError) return { allow: error.allow.join(', ') };
  if (error instanceof RateLimitedError) return { 'retry-after': String(error.retryAfterSeconds) };
  return status === 429 || status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
}

/**
 * Codes that say the database is away, too busy or too slow, and not that a query is wrong:
 * SQLSTATE classes 08, 53, 57, and those of postgres.js and of sockets.
 */
const OUTAGE = /^(08|53|57)[0-9A-Z]{3}$|^CONNECT|^(ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOST)/;

export function isDatabaseOutage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && OUTAGE.test(code);
}
