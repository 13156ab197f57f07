import type { ErrorCode, Issue } from '../contract/envelope.ts';

/** Codes of failures that no server answered. */
export type ClientErrorCode = ErrorCode | 'NETWORK' | 'BAD_RESPONSE';

/** The one error that the client throws: what the service answered, or that it did not. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ClientErrorCode;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Keep it for reporting. */
  readonly requestId: string | null;
  /** Seconds after which a try is worth it again. */
  readonly retryAfter: number | null;
  /** The fields that were wrong. */
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
