// The envelope of every response (docs/reference/api.md#answers).
import { z } from 'zod';
import { nameSchemas } from './names.ts';
import { Token } from './shapes/common.ts';
import { BlockNumber, CampaignId, ChainId, Count, Finality, Timestamp } from './values.ts';

/** The block that the ledger was read as of. */
export const ChainMeta = z.strictObject({
  chainId: ChainId,
  blockNumber: BlockNumber.describe('The settled block that everything was read as of.'),
  blockTimestamp: Timestamp.describe('Its time: the clock of states and holds.'),
  finality: Finality.describe(
    'Finality of the newest event in the response; `pending` if it contains a stopped campaign.',
  ),
  reorg: z
    .literal(true)
    .optional()
    .describe('Present while campaigns are rolled back: a list of several may mix two forks.'),
  stopped: z
    .strictObject({
      count: Count,
      campaigns: z.array(
        z.strictObject({
          campaignId: CampaignId,
          since: Timestamp,
          reason: z.string().describe('Why settlement stopped it.'),
        }),
      ),
    })
    .optional()
    .describe(
      'Present if the response covers campaigns that settlement has stopped: their data may be outdated or from replaced blocks. The first 20.',
    ),
});

/** The `meta` of every response. */
export const ResponseMeta = z.strictObject({
  requestId: z.string(),
  chain: ChainMeta.optional().describe('Present if the response is from the ledger.'),
  token: Token.optional().describe('Token of totals that name none: the most settled one.'),
  otherTokens: z.array(Token).optional().describe('Tokens that those totals omit.'),
});

/** Codes of errors (docs/reference/api.md#errors). */
export const errorCodes = [
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'CONFIRMATION_REQUIRED',
  'CSRF_REJECTED',
  'ORIGIN_REJECTED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'IDEMPOTENCY_CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNPROCESSABLE',
  'RATE_LIMITED',
  'INTERNAL',
  'METHOD_UNAVAILABLE',
  'NOT_READY',
  'STORAGE_FULL',
] as const;

const ErrorCode = z.enum(errorCodes);

/** An invalid field of a request. */
export const Issue = z.strictObject({
  path: z.string().describe('The field, with dots between the levels.'),
  message: z.string(),
});

/** Body of an error response. */
export const ErrorBody = z.strictObject({
  error: z.strictObject({
    code: ErrorCode,
    message: z.string().describe('A sentence: the problem, and what to do about it.'),
    requestId: z.string(),
    issues: z.array(Issue).optional(),
  }),
});

nameSchemas({ ChainMeta, ResponseMeta, ErrorCode, Issue, ErrorBody });

export type ResponseMeta = z.infer<typeof ResponseMeta>;
export type ChainMeta = z.infer<typeof ChainMeta>;
/** Code of an error. */
export type ErrorCode = (typeof errorCodes)[number];
export type ErrorBody = z.infer<typeof ErrorBody>;
export type Issue = NonNullable<ErrorBody['error']['issues']>[number];
