// Value types that all shapes share. Ids and amounts are always strings: they do not fit a JSON number.
import { z } from 'zod';
import { nameOf, nameSchemas } from './names.ts';

/** Form of ids that the contract counts: digits, or `demo-…` for objects that were never on a chain. */
const COUNTED_ID = /^(?:0|[1-9][0-9]{0,77}|demo-[A-Za-z0-9_-]+)$/;

function countedId(description: string) {
  const message = 'must be decimal digits without a leading zero, or demo-…';
  return z.string().regex(COUNTED_ID, message).describe(description);
}

/** Id of a campaign, decimal digits. */
export const CampaignId = countedId('Id of a campaign: a counter of the contract, or demo-….');
/** Id of a sale, decimal digits. */
export const SaleId = countedId('Id of a sale: a counter of the contract, or demo-….');
/** Id of a node, decimal digits. */
export const NodeId = countedId('Id of a referral node: a counter of the contract, or demo-….');

/** Id that the service assigned. */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/, 'must be 1 to 100 letters, digits, underscores or hyphens')
  .describe('Id given by the service: 1 to 100 letters, digits, underscores or hyphens.');

/** An amount in a response. A discrepancy may have made it negative. */
export const Amount = z
  .string()
  .regex(/^-?(?:0|[1-9][0-9]*)$/, 'must be an integer in decimal digits')
  .describe('Integer amount in base units of the token.');

/** An amount in a request. */
export const AmountInput = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be at most 78 decimal digits without a leading zero')
  .describe('Amount in base units of the token: decimal digits, at most 78.');

/** Address of an account or contract. */
export const Address = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)], 'must be 0x and 40 hex digits')
  .describe('Account or contract: 0x and 40 hex digits, returned in lower case.');

/** A hash of 32 bytes, as hex digits. */
export const Hash32 = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)], 'must be 0x and 64 hex digits')
  .describe('32 bytes: 0x and 64 hex digits, returned in lower case.');

/** A signature of a key, or of a contract wallet, which may be long. */
export const Signature = signatureFrom(1);

/** A signature that is empty if a contract wallet has approved the message on the chain. */
export const SignatureOrNone = signatureFrom(0);

/** A signature of at least so many bytes. */
function signatureFrom(least: 0 | 1) {
  return z.templateLiteral(
    ['0x', z.string().regex(new RegExp(`^(?:[0-9a-fA-F]{2}){${least},10000}$`))],
    `must be 0x and 2 hex digits for each of ${least} to 10000 bytes`,
  );
}

/** A time as ISO 8601 in UTC. */
export const Timestamp = z.iso
  .datetime('must be an ISO 8601 date-time in UTC with a trailing Z')
  .describe('ISO 8601 date-time in UTC with a trailing Z.');

/** Weight of a level, basis points. */
export const Weight = z.int().min(1).max(10_000).describe('Basis points, 1 to 10000.');

/** A count, at most 2^53 − 1. */
export const Count = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('Integer from 0 to 9007199254740991.');

/** An absolute URI. */
export const Uri = z.url().describe('Absolute URI.');

/** Chain id (EIP-155). */
export const ChainId = z.int().min(1).describe('Chain id (EIP-155).');

/** Number of a block, decimal digits. */
export const BlockNumber = z
  .string()
  .regex(/^(?:0|[1-9][0-9]*)$/)
  .describe('Block height in decimal digits.');

/** A block by number, hash and time. */
export const BlockRef = z.strictObject({ number: BlockNumber, hash: Hash32, timestamp: Timestamp });

/** A past block that a caller names. */
export const AtBlock = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be a block height in decimal digits')
  .describe('Read as of this block, at most the settled block, which is the default.');

/** Text in a request. U+0000 and lone surrogates are refused, because PostgreSQL cannot store them. */
export function textInput(maxCharacters: number) {
  return z
    .string()
    .max(maxCharacters, `must have at most ${maxCharacters} characters`)
    .refine((text) => !text.includes('\0'), 'must not contain the character U+0000')
    .refine((text) => !/\p{Surrogate}/u.test(text), 'must not contain half of a surrogate pair');
}

/**
 * Control and invisible characters, and characters that change the direction of the surrounding text: a
 * name with them looks like another one.
 */
const UNSEEN = /[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

/** A name that people are known by, in a request: 1 to 100 characters that can be seen. */
export const nameInput = textInput(100)
  .refine((text) => text !== '' && text === text.trim(), 'must not begin or end with a space')
  .refine((text) => !UNSEEN.test(text), 'must not contain control characters');

/** State of a campaign (docs/reference/protocol.md#state); DRAFT_OFFCHAIN was never on a chain. */
export const CampaignState = z
  .enum(['DRAFT_OFFCHAIN', 'CREATED_UNFUNDED', 'FUNDED_ACTIVE', 'PAUSED', 'ENDED', 'EXPIRED'])
  .describe('State at the block read.');

/** Who vouches for the sales of a campaign (docs/use/trust-modes.md). */
export const TrustMode = z
  .enum(['NATIVE_ONCHAIN', 'MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'])
  .describe('Who vouches for the sales: the contract, the merchant, or an attester.');

/** Use of the weights of levels that a short path does not have. */
export const ShortPathMode = z
  .enum(['RENORMALIZE_EXISTING', 'RETURN_UNUSED'])
  .describe('Use of the weights of levels that a short path does not have.');

/** State of a sale. */
export const SaleState = z
  .enum(['pending', 'finalized', 'refunded', 'reversed'])
  .describe('State of the sale; a partly refunded sale stays pending.');

/** State of the reward of one level. */
export const RewardState = z
  .enum(['reserved', 'claimable', 'claimed', 'refunded', 'reversed'])
  .describe('State of the reward of one level.');

/** Finality of an event: how likely a reorg still removes it (docs/reference/glossary.md#engine). */
export const Finality = z
  .enum(['pending', 'safe', 'finalized'])
  .describe('Finality of the newest event that was read.');

nameSchemas({
  CampaignId,
  SaleId,
  NodeId,
  Id,
  Amount,
  AmountInput,
  Address,
  Hash32,
  Timestamp,
  Weight,
  Count,
  Uri,
  ChainId,
  BlockNumber,
  BlockRef,
  CampaignState,
  TrustMode,
  ShortPathMode,
  SaleState,
  RewardState,
  Finality,
});

/** `nextCursor` of a page. */
const NextCursor = z.string().nullable().describe('Pass it as cursor; null on the last page.');

/** Query fields `cursor` and `limit` of every collection. */
export const pageQuery = {
  cursor: textInput(2_000).describe('nextCursor of the previous page.').optional(),
  limit: z
    .int()
    .min(1)
    .max(100)
    .describe('Largest number of items, 1 to 100; default 20.')
    .optional(),
};

/** Schema of a page of items. */
type PageOf<T extends z.ZodType> = ReturnType<typeof newPage<T>>;

const pages = new Map<z.ZodType, unknown>();

/** A page of a collection. The page of a named item is named after it: `TokenPage`. */
export function pageOf<T extends z.ZodType>(item: T): PageOf<T> {
  const page = (pages.get(item) as PageOf<T> | undefined) ?? newPage(item);
  const name = nameOf(item);
  if (!pages.has(item) && name !== undefined) nameSchemas({ [`${name}Page`]: page });
  pages.set(item, page);
  return page;
}

function newPage<T extends z.ZodType>(item: T) {
  return z.strictObject({ items: z.array(item), nextCursor: NextCursor });
}

/** Response of a write that leaves nothing to return. */
export const Done = z.strictObject({ ok: z.literal(true) });

/** `confirmationToken` of sensitive writes (docs/reference/api.md#fresh-signatures). */
export const ConfirmationToken = z
  .string()
  .min(32)
  .max(128)
  .describe('From auth.confirm: proof of a signature of the last 5 minutes; 403 without it.')
  .optional();
