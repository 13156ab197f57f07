/** The messages of `GET /v1/stream`, which server and client share (docs/api.md, «Live»). */
import { z } from 'zod';
import {
  Address,
  BlockNumber,
  CampaignId,
  Count,
  Hash32,
  SaleId,
  Timestamp,
  textInput,
} from '../values.ts';

/** Values of one filter, at most. */
const FILTERS_MOST = 20;

/** Events in one message, at most. */
const STREAM_EVENTS_MOST = 100;

export const StreamQuery = z.strictObject({
  campaignId: z
    .array(CampaignId)
    .min(1)
    .max(FILTERS_MOST)
    .describe('Only changes of these campaigns, 20 at most.')
    .optional(),
  account: z
    .array(Address)
    .min(1)
    .max(FILTERS_MOST)
    .describe('Only events that concern one of these accounts, 20 at most.')
    .optional(),
  lastEventId: textInput(60)
    .describe('The id to go on from, where the header Last-Event-ID cannot be sent.')
    .optional(),
});

const Sequence = Count.describe('Place among all changes of this ledger; it only rises.');

const StreamHeads = z.strictObject({
  settled: z
    .strictObject({ number: BlockNumber, hash: Hash32, timestamp: Timestamp })
    .describe('Everything at or below it is settled, and nothing above it is told.'),
  chain: BlockNumber.nullable().describe('The newest block of the chain that was seen.'),
  safe: BlockNumber.nullable(),
  finalized: BlockNumber.nullable(),
  lagBlocks: Count.nullable().describe('Blocks that the settled one is behind the chain.'),
});

const StreamedEvent = z.strictObject({
  seq: z.int().min(1).describe('Place among its campaign’s events.'),
  name: z.string().describe('Of the contract’s event.'),
  saleId: SaleId.nullable(),
  accounts: z
    .array(Address)
    .describe('Whom it concerns: accounts that it names, whose money it moves, and the buyer.'),
  blockNumber: BlockNumber,
  blockHash: Hash32,
  transactionHash: Hash32,
  logIndex: z.int().min(0),
});

const StreamHello = z.strictObject({
  sequence: Sequence,
  resumed: z.boolean().describe('Whether it goes on from the id that was sent.'),
  heads: StreamHeads,
});

const StreamSettled = z.strictObject({
  sequence: Sequence,
  campaignId: CampaignId,
  fromSeq: z.int().min(1),
  toSeq: z.int().min(1),
  block: z
    .strictObject({ number: BlockNumber, timestamp: Timestamp })
    .describe('Of the newest of its events.'),
  events: z.array(StreamedEvent).min(1).max(STREAM_EVENTS_MOST),
});

const StreamRetracted = z.strictObject({
  sequence: Sequence,
  campaignId: CampaignId,
  afterSeq: Count.describe('Every event of the campaign above it is taken back.'),
});

const StreamHead = z.strictObject({ sequence: Sequence, heads: StreamHeads });

const StreamReset = z.strictObject({
  sequence: Sequence,
  reason: z
    .enum(['TOO_OLD', 'UNKNOWN'])
    .describe('What was to be told since is not kept any more; or the id is not of this ledger.'),
});

const StreamEnd = z.strictObject({
  sequence: Sequence,
  reason: z
    .enum(['SLOW', 'TIME', 'SHUTDOWN'])
    .describe('The reader fell behind; the stream lasted as long as one may; the service stops.'),
  resumeFrom: z.string().describe('Send it as Last-Event-ID to go on.'),
});

/** Every message by the name of its event. */
export const streamMessages = {
  hello: StreamHello,
  settled: StreamSettled,
  retracted: StreamRetracted,
  head: StreamHead,
  reset: StreamReset,
  end: StreamEnd,
} as const;

export type StreamEventName = keyof typeof streamMessages;

/** What a message says, by the name of its event. */
export type StreamData<N extends StreamEventName> = z.infer<(typeof streamMessages)[N]>;

/** A message as a reader gets it. `id` is what to resume from once it was applied. */
export type StreamMessage = {
  [N in StreamEventName]: { readonly event: N; readonly id: string; readonly data: StreamData<N> };
}[StreamEventName];
