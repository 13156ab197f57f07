/** Digests of the ledger, to compare two by 32 bytes: the encoding is in docs/digest.md. */
import { z } from 'zod';
import { Address, Amount, BlockNumber, CampaignId, Count, Hash32 } from '../values.ts';

const CampaignDigest = z.strictObject({
  campaignId: CampaignId,
  digest: Hash32.describe('After its newest event at or below the block.'),
  sequence: Count.describe('How many events that is.'),
});

const ProofStep = z.strictObject({
  side: z.enum(['left', 'right']).describe('Which side of the pair the neighbour is on.'),
  hash: Hash32,
});

export const DigestPage = z.strictObject({
  block: BlockNumber.describe('As of which the digests are.'),
  root: Hash32.describe('Merkle root over all campaigns at that block.'),
  campaigns: Count.describe('Campaigns under the root.'),
  items: z.array(CampaignDigest).describe('By id; with campaignId that one, or none.'),
  proof: z
    .array(ProofStep)
    .nullable()
    .describe('From the leaf of campaignId up to the root; null where no such campaign is in it.'),
  nextCursor: z.string().nullable().describe('Pass it as cursor; null on the last page.'),
});

const DigestEntry = z.strictObject({
  kind: z.enum(['reserve', 'release', 'vest', 'claim', 'reverse', 'return']),
  account: Address,
  saleId: z.string().nullable().describe('null for a claim.'),
  level: z.int().min(1).nullable(),
  nodeId: z.string().nullable(),
  amount: Amount,
  after: z
    .strictObject({
      reserved: Amount,
      claimable: Amount,
      claimed: Amount,
      refunded: Amount,
      reversed: Amount,
    })
    .describe('Balances of the account after it, base units.'),
});

const Standing = z.strictObject({
  funded: z.boolean(),
  paused: z.boolean(),
  ended: z.boolean(),
  price: Amount,
  nodeCapacity: Count,
  saleCapacity: Count,
  ledger: z.array(Amount).length(11).describe('The amounts of campaignLedger, in its order.'),
  counts: z
    .array(z.int())
    .length(5)
    .describe('Sales pending, finalized, refunded and reversed, and nodes.'),
});

/** All that one event's part of the digest is made of. */
export const DigestEvent = z.strictObject({
  sequence: Count.describe('Its place among its campaign’s events, from 1.'),
  eventId: z.string().describe('75 digits.'),
  blockNumber: BlockNumber,
  blockHash: Hash32,
  transactionHash: Hash32,
  logIndex: z.int().min(0),
  event: z.string().describe('Name and arguments as JSON, to the byte as they are hashed.'),
  entries: z.array(DigestEntry),
  credit: z
    .strictObject({ account: Address, after: Amount })
    .nullable()
    .describe('The credit that it changed, and what it is now, base units.'),
  standing: Standing.describe('Of the campaign after it.'),
  digest: Hash32.describe('Of the campaign after it.'),
});
