import type { StreamData, StreamEventName } from '../../contract/shapes/stream.ts';
import type { Address } from '../../core/events.ts';
import type { Heads } from '../../db/heads.ts';
import type { LedgerChange, PublishedEvent } from '../../db/read/system/changes.ts';
import { isoTime } from '../render/time.ts';

/** Filter of a stream; `undefined` selects all. */
export interface StreamFilter {
  readonly campaigns: ReadonlySet<string> | undefined;
  /** Addresses in lower case. */
  readonly accounts: ReadonlySet<Address> | undefined;
}

/** Change with its message for readers without a filter. */
export interface Entry {
  readonly change: LedgerChange;
  /** Text of the message; empty if none of its events exist any more. */
  readonly text: string;
}

/** Heads as they are published. */
export type StreamHeads = StreamData<'head'>['heads'];

/** Id of a message: the epoch of its ledger, and its sequence number. */
export function idOf(epoch: string, sequence: number): string {
  return `${epoch}-${sequence}`;
}

/** Parses a message id; `undefined` if it is not one of this service. */
export function readId(text: string): { epoch: string; sequence: number } | undefined {
  const [, epoch, digits] = /^([0-9a-f]{8})-(0|[1-9][0-9]{0,14})$/.exec(text) ?? [];
  return epoch === undefined ? undefined : { epoch, sequence: Number(digits) };
}

/** Text of a server-sent event, as the HTML Standard defines it. */
export function messageText<N extends StreamEventName>(
  event: N,
  id: string,
  data: StreamData<N>,
): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function entryOf(epoch: string, change: LedgerChange): Entry {
  return { change, text: textOf(epoch, change) };
}

/** Message of a change for a reader with that filter; empty if the filter excludes it. */
export function filteredText(epoch: string, { change, text }: Entry, filter: StreamFilter): string {
  const { campaigns, accounts } = filter;
  if (campaigns !== undefined && !campaigns.has(change.campaignId)) return '';
  // A reader may have any of a campaign's events, so a retraction goes to all readers.
  if (accounts === undefined || change.kind === 'retracted') return text;
  const events = change.events.filter((event) => event.accounts.some((one) => accounts.has(one)));
  return textOf(epoch, { ...change, events });
}

function textOf(epoch: string, change: LedgerChange): string {
  const { sequence, campaignId } = change;
  const id = idOf(epoch, sequence);
  if (change.kind === 'retracted') {
    return messageText('retracted', id, { sequence, campaignId, afterSeq: change.afterSeq });
  }
  const { events } = change;
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return '';
  const { blockNumber, blockTimestamp } = last;
  return messageText('settled', id, {
    sequence,
    campaignId,
    fromSeq: first.seq,
    toSeq: last.seq,
    block: { number: String(blockNumber), timestamp: isoTime(blockTimestamp) },
    events: events.map(streamedEvent),
  });
}

function streamedEvent(event: PublishedEvent): StreamData<'settled'>['events'][number] {
  return {
    seq: event.seq,
    name: event.name,
    saleId: event.saleId,
    amount: event.amount,
    at: isoTime(event.blockTimestamp),
    accounts: [...event.accounts],
    blockNumber: String(event.blockNumber),
    blockHash: event.blockHash,
    transactionHash: event.transactionHash,
    logIndex: event.logIndex,
  };
}

/** Heads for readers; `undefined` before the first settled block. */
export function streamHeads(heads: Heads): StreamHeads | undefined {
  const { settled, chainNumber, safeNumber, finalizedNumber } = heads;
  if (settled === null) return undefined;
  const number = (height: number | null) => (height === null ? null : String(height));
  return {
    settled: {
      number: String(settled.number),
      hash: settled.hash,
      timestamp: isoTime(settled.timestamp),
    },
    chain: number(chainNumber),
    safe: number(safeNumber),
    finalized: number(finalizedNumber),
    lagBlocks: chainNumber === null ? null : Math.max(0, chainNumber - settled.number),
  };
}
