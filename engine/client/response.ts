import { z } from 'zod';
import { ErrorBody, ResponseMeta } from '../contract/envelope.ts';
import { ApiError } from './error.ts';

const Success = z.object({ data: z.unknown(), meta: z.looseObject(ResponseMeta.shape) });

/**
 * Reads a response. `data` is returned without validation: a newer service may send more fields than
 * this client knows.
 * @throws {ApiError} if it is an error response, or has no envelope.
 */
export async function readResponse(
  response: Response,
): Promise<{ data: unknown; meta: ResponseMeta }> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) {
    const success = Success.safeParse(body);
    if (success.success) return success.data;
  }
  const failure = ErrorBody.safeParse(body);
  if (!failure.success) {
    const message = `The service answered ${status}, and not in the form of this interface.`;
    throw new ApiError(message, { code: 'BAD_RESPONSE', status });
  }
  const { code, message, requestId, issues } = failure.data.error;
  const retryAfter = secondsOf(response.headers.get('retry-after'));
  throw new ApiError(messageOf(message, issues), {
    code,
    status,
    requestId,
    retryAfter,
    issues,
  });
}

function messageOf(message: string, issues: ErrorBody['error']['issues']): string {
  const issueText = issues?.map((issue) => `${issue.path} ${issue.message}`).join('; ');
  return issueText ? `${message} ${issueText}` : message;
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^[0-9]{1,9}$/.test(header) ? Number(header) : null;
}
