// The messages of `GET /v1/stream`, which server and client share (docs/reference/api.md#live).
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import {
  Address,
  Amount,
  BlockNumber,
  BlockRef,
  CampaignId,
  Count,
  Hash32,
  SaleId,
  Timestamp,
  textInput,
} from '../values.ts';

/** Largest number of values of one filter. */
const MAX_FILTERS = 20;

/** Largest number of events in one message. */
const MAX_STREAM_EVENTS = 100;

/** Query of `GET /v1/stream`. */
export const StreamQuery = z.strictObject({
  campaignId: z
    .array(CampaignId)
    .min(1)
    .max(MAX_FILTERS)
    .describe('Only changes of these campaigns, 20 at most.')
    .optional(),
  account: z
    .array(Address)
    .min(1)
    .max(MAX_FILTERS)
    .describe('Only events that concern one of these accounts, 20 at most.')
    .optional(),
  lastEventId: textInput(60)
    .describe('The id to resume after, if the header Last-Event-ID cannot be sent.')
    .optional(),
});

const Sequence = Count.describe('Number among all changes of this ledger; it only rises.');

const StreamHeads = z.strictObject({
  settled: BlockRef.describe('Settled block: changes up to it were sent, and none after it.'),
  chain: BlockNumber.nullable().describe('The newest block of the chain that was seen.'),
  safe: BlockNumber.nullable(),
  finalized: BlockNumber.nullable(),
  lagBlocks: Count.nullable().describe('Blocks that the settled block is behind the chain.'),
});

const StreamedEvent = z.strictObject({
  seq: z.int().min(1).describe('Number among its campaign’s events.'),
  name: z.string().describe('Name of the contract’s event.'),
  saleId: SaleId.nullable(),
  amount: Amount.nullable().describe('Its argument `amount`, base units; null if it has none.'),
  at: Timestamp.describe('Time of its block.'),
  accounts: z
    .array(Address)
    .describe('Accounts that it names or whose money it moves, and the buyer.'),
  blockNumber: BlockNumber,
  blockHash: Hash32,
  transactionHash: Hash32,
  logIndex: z.int().min(0),
});

const StreamHello = z.strictObject({
  sequence: Sequence,
  resumed: z.boolean().describe('Whether it resumes after the id that was sent.'),
  heads: StreamHeads,
});

const StreamSettled = z.strictObject({
  sequence: Sequence,
  campaignId: CampaignId,
  fromSeq: z.int().min(1),
  toSeq: z.int().min(1),
  block: z
    .strictObject({ number: BlockNumber, timestamp: Timestamp })
    .describe('Block of its newest event.'),
  events: z.array(StreamedEvent).min(1).max(MAX_STREAM_EVENTS),
});

const StreamRetracted = z.strictObject({
  sequence: Sequence,
  campaignId: CampaignId,
  afterSeq: Count.describe('Every later event of the campaign was rolled back.'),
});

const StreamHead = z.strictObject({ sequence: Sequence, heads: StreamHeads });

const StreamReset = z.strictObject({
  sequence: Sequence,
  reason: z
    .enum(['TOO_OLD', 'UNKNOWN'])
    .describe('The changes since that id are no longer stored, or the id is from another ledger.'),
});

const StreamEnd = z.strictObject({
  sequence: Sequence,
  reason: z
    .enum(['SLOW', 'TIME', 'SHUTDOWN'])
    .describe('The client was too slow, the stream lasted too long, or the service stops.'),
  resumeFrom: z.string().describe('Send it as Last-Event-ID to resume.'),
});

/** Schemas of all messages, by the name of the event. */
export const streamMessages = {
  hello: StreamHello,
  settled: StreamSettled,
  retracted: StreamRetracted,
  head: StreamHead,
  reset: StreamReset,
  end: StreamEnd,
} as const;

nameSchemas({
  StreamHeads,
  StreamedEvent,
  StreamHello,
  StreamSettled,
  StreamRetracted,
  StreamHead,
  StreamReset,
  StreamEnd,
});

/** Name of the event of a message. */
export type StreamEventName = keyof typeof streamMessages;

/** Data of a message, by the name of its event. */
export type StreamData<N extends StreamEventName> = z.infer<(typeof streamMessages)[N]>;

/** A message of the stream. A client that has applied it resumes after its `id`. */
export type StreamMessage = {
  [N in StreamEventName]: { readonly event: N; readonly id: string; readonly data: StreamData<N> };
}[StreamEventName];
