/**
 * The value types that all shapes share, exact to the specification («Shared value types»).
 * Ids and amounts are strings always: they do not fit into a JSON number.
 */
import { z } from 'zod';

/** The form of ids that the contract counts: digits, or `demo-…` for what never was on a chain. */
const COUNTED_ID = /^(?:0|[1-9][0-9]{0,77}|demo-[A-Za-z0-9_-]+)$/;

function countedId(description: string) {
  const message = 'must be decimal digits without a leading zero, or demo-…';
  return z.string().regex(COUNTED_ID, message).describe(description);
}

export const CampaignId = countedId('Id of a campaign: a counter of the contract, or demo-….');
export const SaleId = countedId('Id of a sale: a counter of the contract, or demo-….');
export const NodeId = countedId('Id of a referral node: a counter of the contract, or demo-….');

export const Id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be 1 to 100 letters, digits, underscores or hyphens')
  .describe('Id given by the service: 1 to 100 letters, digits, underscores or hyphens.');

/** An amount that the service answers. A discrepancy may have driven one below zero. */
export const Amount = z
  .string()
  .regex(/^-?(?:0|[1-9][0-9]*)$/, 'must be an integer in decimal digits')
  .describe('Integer amount in base units of the token.');

/** An amount that a caller gives. */
export const AmountInput = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be at most 78 decimal digits without a leading zero')
  .describe('Amount in base units of the token: decimal digits, at most 78.');

export const Address = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)], 'must be 0x and 40 hex digits')
  .describe('Account or contract: 0x and 40 hex digits, answered in lower case.');

export const Hash32 = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)], 'must be 0x and 64 hex digits')
  .describe('32 bytes: 0x and 64 hex digits, answered in lower case.');

export const Timestamp = z.iso
  .datetime('must be an ISO 8601 date-time in UTC with a trailing Z')
  .describe('ISO 8601 date-time in UTC with a trailing Z.');

export const Weight = z.int().min(1).max(10_000).describe('Basis points, 1 to 10000.');

export const Count = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('How many: an integer from 0 to 9007199254740991.');

export const Uri = z.url().describe('Absolute URI.');

export const ChainId = z.int().min(1).describe('Chain id (EIP-155).');

export const BlockNumber = z
  .string()
  .regex(/^(?:0|[1-9][0-9]*)$/)
  .describe('Block height in decimal digits.');

/** A block of the past that a caller names. */
export const AtBlock = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be a block height in decimal digits')
  .describe(
    'Answer as the ledger stood after this block; default the settled one, and at most it.',
  );

/** Text that a caller gives. PostgreSQL takes no U+0000 and no half of a pair, so none is let in. */
export function textInput(maxCharacters: number) {
  return z
    .string()
    .max(maxCharacters, `must have at most ${maxCharacters} characters`)
    .refine((text) => !text.includes('\0'), 'must not contain the character U+0000')
    .refine((text) => !/\p{Surrogate}/u.test(text), 'must not contain half of a surrogate pair');
}

/** States that a campaign can have; DRAFT_OFFCHAIN never was on a chain (design §3). */
export const CampaignState = z
  .enum(['DRAFT_OFFCHAIN', 'CREATED_UNFUNDED', 'FUNDED_ACTIVE', 'PAUSED', 'ENDED', 'EXPIRED'])
  .describe('State at the block read.');

export const TrustMode = z
  .enum(['NATIVE_ONCHAIN', 'MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'])
  .describe('Who vouches for the sales: the contract, the merchant, or an attester.');

export const ShortPathMode = z
  .enum(['RENORMALIZE_EXISTING', 'RETURN_UNUSED'])
  .describe('What happens to the weights of levels that a short path does not have.');

export const SaleState = z
  .enum(['pending', 'finalized', 'refunded', 'reversed'])
  .describe('Where the sale stands; a partly refunded sale stays pending.');

export const RewardState = z
  .enum(['reserved', 'claimable', 'claimed', 'refunded', 'reversed'])
  .describe('Where the reward of one level stands.');

export const Finality = z
  .enum(['pending', 'safe', 'finalized'])
  .describe('How final the newest event is that was read.');

/** `cursor` and `limit` of every collection. */
export const pageQuery = {
  cursor: textInput(2_000).describe('nextCursor of the page before.').optional(),
  limit: z.int().min(1).max(100).describe('Items at most, 1 to 100; default 20.').optional(),
};

/** A page of a collection. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('Pass it as cursor; null on the last page.'),
  });
}

/** `confirmationToken` of sensitive writes (specification, «Authentication» 3). */
export const ConfirmationToken = z
  .string()
  .min(32)
  .max(128)
  .describe('From auth.confirm: proof of a signature of the last 5 minutes; 403 without.')
  .optional();
