import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorBody, ErrorCode, Issue } from '../contract/envelope.ts';

/** Meaning of an error code for HTTP clients. */
interface CodeMeaning {
  readonly status: ContentfulStatusCode;
  /** True if the same request can succeed later without any change: the answer has `Retry-After`. */
  readonly retryable: boolean;
}

/** Status of each error code, and whether a client may retry it (docs/reference/api.md#errors). */
export const codeMeanings: Readonly<Record<ErrorCode, CodeMeaning>> = {
  VALIDATION_FAILED: { status: 400, retryable: false },
  UNAUTHENTICATED: { status: 401, retryable: false },
  ORIGIN_REJECTED: { status: 403, retryable: false },
  CSRF_REJECTED: { status: 403, retryable: false },
  FORBIDDEN: { status: 403, retryable: false },
  CONFIRMATION_REQUIRED: { status: 403, retryable: false },
  NOT_FOUND: { status: 404, retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false },
  CONFLICT: { status: 409, retryable: false },
  IDEMPOTENCY_CONFLICT: { status: 409, retryable: false },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false },
  UNPROCESSABLE: { status: 422, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  INTERNAL: { status: 500, retryable: false },
  METHOD_UNAVAILABLE: { status: 501, retryable: false },
  NOT_READY: { status: 503, retryable: true },
  STORAGE_FULL: { status: 507, retryable: false },
};

/** Error that is answered to the client as it is: the code decides the HTTP status. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  /**
   * @param message sentence for the caller: what was wrong, and what to do.
   * @param issues the wrong fields or missing parts; none by default.
   * @param headers of the answer, in addition to `Retry-After` of retryable codes.
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly issues: readonly Issue[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** VALIDATION_FAILED error that names each wrong field. */
export function invalidInput(issues: readonly Issue[]): HttpError {
  return new HttpError('VALIDATION_FAILED', 'The request is not valid: see issues.', issues);
}

/** VALIDATION_FAILED error for one field. */
export function invalidField(path: string, message: string): HttpError {
  return invalidInput([{ path, message }]);
}

/** NOT_FOUND error. @param message sentence that names what was asked for. */
export function notFound(message: string): HttpError {
  return new HttpError('NOT_FOUND', message);
}

/** CONFLICT error: somebody changed the thing meanwhile, or took its name. */
export function conflict(message: string): HttpError {
  return new HttpError('CONFLICT', message);
}

/** UNPROCESSABLE error: a business rule forbids the request now. Issues name the fields, if any. */
export function unprocessable(message: string, issues: readonly Issue[] = []): HttpError {
  return new HttpError('UNPROCESSABLE', message, issues);
}

/** NOT_READY error that names the part which cannot answer. */
export function notReady(path: string, message: string): HttpError {
  return new HttpError('NOT_READY', message, [{ path, message }]);
}

/** METHOD_NOT_ALLOWED error of a route that has other HTTP methods. */
export function methodNotAllowed(allowed: readonly string[]): HttpError {
  const allow = allowed.join(', ');
  return new HttpError('METHOD_NOT_ALLOWED', `This route accepts only ${allow}.`, [], { allow });
}

/** Failure as it is sent to the client. */
export interface Failure {
  readonly status: ContentfulStatusCode;
  readonly error: Omit<ErrorBody['error'], 'requestId'>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Seconds after which a client may retry, unless the error names another time. */
const RETRY_AFTER_SECONDS = 2;

/** Answer to an error that is reported as it is. */
export function httpFailure({ code, message, issues, headers }: HttpError): Failure {
  const { status, retryable } = codeMeanings[code];
  return {
    status,
    error: { code, message, ...(issues.length > 0 && { issues: [...issues] }) },
    headers: { ...(retryable && { 'retry-after': String(RETRY_AFTER_SECONDS) }), ...headers },
  };
}

/** INTERNAL error for an unexpected error, whose own message stays on the server. */
export function internalError(): HttpError {
  return new HttpError('INTERNAL', 'Something went wrong on our side: report the requestId.');
}
