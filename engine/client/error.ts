import type { ErrorCode, Issue } from '../contract/envelope.ts';

/** Code of an error: one of the service's, or `NETWORK` or `BAD_RESPONSE` without a valid response. */
export type ClientErrorCode = ErrorCode | 'NETWORK' | 'BAD_RESPONSE';

/** The only error that the client throws: an error response, or the lack of a valid response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ClientErrorCode;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Id of the request, for reports to the service; `null` without a response. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry; `null` if the service named none. */
  readonly retryAfter: number | null;
  /** The invalid fields of the request. */
  readonly issues: readonly Issue[];

  constructor(
    message: string,
    detail: {
      readonly code: ClientErrorCode;
      readonly status: number;
      readonly requestId?: string | null;
      readonly retryAfter?: number | null;
      readonly issues?: readonly Issue[] | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: detail.cause });
    this.code = detail.code;
    this.status = detail.status;
    this.requestId = detail.requestId ?? null;
    this.retryAfter = detail.retryAfter ?? null;
    this.issues = detail.issues ?? [];
  }
}

/** Error of a response that is not in the form of the interface. */
export function badResponse(message: string, status = 200): ApiError {
  return new ApiError(message, { code: 'BAD_RESPONSE', status });
}
