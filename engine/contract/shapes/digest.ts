// Digests of the ledger; docs/reference/digest.md has the encoding.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, Amount, BlockNumber, CampaignId, Count, Hash32 } from '../values.ts';

const CampaignDigest = z.strictObject({
  campaignId: CampaignId,
  digest: Hash32.describe('Digest after its newest event at or below the block.'),
  sequence: Count.describe('Number of its events up to then.'),
});

const ProofStep = z.strictObject({
  side: z.enum(['left', 'right']).describe('Which side of the pair the neighbour is on.'),
  hash: Hash32,
});

/** Digests of campaigns at a block, with the root over all of them. */
export const DigestPage = z.strictObject({
  block: BlockNumber.describe('Block of the digests.'),
  root: Hash32.describe('Merkle root over all campaigns at that block, except the omitted ones.'),
  leftOut: z
    .array(CampaignId)
    .describe('Campaigns that settlement has stopped: their data may differ from the chain.'),
  campaigns: Count.describe('Campaigns under the root.'),
  items: z.array(CampaignDigest).describe('By id; with campaignId that one, or none.'),
  proof: z
    .array(ProofStep)
    .nullable()
    .describe('Neighbours from the leaf of campaignId to the root; null if it is not in it.'),
  nextCursor: z.string().nullable().describe('Pass it as cursor; null on the last page.'),
});

/** Balances of an account in a campaign, by bucket. */
export const AccountBalances = z.strictObject({
  reserved: Amount,
  claimable: Amount,
  claimed: Amount,
  refunded: Amount,
  reversed: Amount,
});

const DigestEntry = z.strictObject({
  kind: z.enum(['reserve', 'release', 'vest', 'claim', 'reverse', 'return']),
  account: Address,
  saleId: z.string().nullable().describe('null for a claim.'),
  level: z.int().min(1).nullable(),
  nodeId: z.string().nullable(),
  amount: Amount,
  after: AccountBalances.describe('Balances of the account after it, base units.'),
});

const Snapshot = z.strictObject({
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

/** The encoded parts of one event in a campaign's digest. */
export const DigestEvent = z.strictObject({
  sequence: Count.describe('Number among its campaign’s events, from 1.'),
  eventId: z.string().describe('75 digits.'),
  blockNumber: BlockNumber,
  blockHash: Hash32,
  transactionHash: Hash32,
  logIndex: z.int().min(0),
  event: z.string().describe('Name and arguments as JSON, exactly the bytes that are hashed.'),
  entries: z.array(DigestEntry),
  credit: z
    .strictObject({ account: Address, after: Amount })
    .nullable()
    .describe('The credit that it changed, and its new amount, base units.'),
  standing: Snapshot.describe('State of the campaign after it.'),
  digest: Hash32.describe('Digest of the campaign after it.'),
});

nameSchemas({
  CampaignDigest,
  DigestProofStep: ProofStep,
  DigestPage,
  AccountBalances,
  DigestEntry,
  DigestSnapshot: Snapshot,
  DigestEvent,
});
