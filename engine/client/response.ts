import type { ErrorBody, ResponseMeta } from '../contract/envelope.ts';
import { ApiError, badResponse } from './error.ts';
import { type Check, isInteger, isText, listOf, matches, objectOf, optional } from './shape.ts';

const isTime = matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

const isToken = objectOf({
  address: matches(/^0x[0-9a-fA-F]{40}$/),
  symbol: isText,
  decimals: isInteger(0, 36),
  name: optional(isText),
});

/** The envelope (docs/reference/api.md#answers): a newer service may send more fields than this client knows. */
const isSuccess: Check<{ readonly data: unknown; readonly meta: ResponseMeta }> = objectOf({
  data: (value) => value !== undefined,
  meta: objectOf({
    requestId: isText,
    chain: optional(
      objectOf({
        chainId: isInteger(1, Number.MAX_SAFE_INTEGER),
        blockNumber: matches(/^(?:0|[1-9][0-9]*)$/),
        blockTimestamp: isTime,
        finality: matches(/^(?:pending|safe|finalized)$/),
        reorg: optional((value) => value === true),
        stopped: optional(
          objectOf({
            count: isInteger(0, Number.MAX_SAFE_INTEGER),
            campaigns: listOf(
              objectOf({
                campaignId: matches(/^(?:0|[1-9][0-9]{0,77}|demo-[A-Za-z0-9_-]+)$/),
                since: isTime,
                reason: isText,
              }),
            ),
          }),
        ),
      }),
    ),
    token: optional(isToken),
    otherTokens: optional(listOf(isToken)),
  }),
});

const isFailure: Check<ErrorBody> = objectOf({
  error: objectOf({
    code: matches(/^[A-Z][A-Z_]*$/),
    message: isText,
    requestId: isText,
    issues: optional(listOf(objectOf({ path: isText, message: isText }))),
  }),
});

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
  if (response.ok && isSuccess(body)) return { data: body.data, meta: body.meta };
  if (!isFailure(body)) {
    throw badResponse(
      `The service answered ${status}, and not in the form of this interface.`,
      status,
    );
  }
  const { code, message, requestId, issues } = body.error;
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
