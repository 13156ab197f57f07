/** What every answer is wrapped in (design §7). */
import { z } from 'zod';
import { Token } from './shapes/common.ts';
import { BlockNumber, CampaignId, ChainId, Count, Finality, Timestamp } from './values.ts';

/** Which block the ledger was read as of. */
export const ChainMeta = z.strictObject({
  chainId: ChainId,
  blockNumber: BlockNumber.describe('The settled block that everything was read as of.'),
  blockTimestamp: Timestamp.describe('Its time: the clock of states and holds.'),
  finality: Finality.describe(
    'How final the newest event of the answer is; `pending` if a stopped campaign is in it.',
  ),
  reorg: z
    .literal(true)
    .optional()
    .describe('Present while campaigns are rolled back: an answer over several may mix two forks.'),
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
      'Present if the answer holds, or adds up, campaigns that settlement has stopped: what it has of them may be outdated or of replaced blocks. The first 20.',
    ),
});

export const Meta = z.strictObject({
  requestId: z.string(),
  chain: ChainMeta.optional().describe('Present where the ledger was read.'),
  token: Token.optional().describe('The token of sums that name none: the most settled one.'),
  otherTokens: z.array(Token).optional().describe('Tokens that those sums leave out.'),
});

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

export const ErrorBody = z.strictObject({
  error: z.strictObject({
    code: z.enum(errorCodes),
    message: z.string().describe('A sentence: what was wrong, and what to do.'),
    requestId: z.string(),
    issues: z
      .array(
        z.strictObject({
          path: z.string().describe('The field, with dots between the levels.'),
          message: z.string(),
        }),
      )
      .optional(),
  }),
});

export type Meta = z.infer<typeof Meta>;
export type ChainMeta = z.infer<typeof ChainMeta>;
export type ErrorCode = (typeof errorCodes)[number];
export type ErrorBody = z.infer<typeof ErrorBody>;
export type Issue = NonNullable<ErrorBody['error']['issues']>[number];
