import type { StreamData, StreamEventName } from '../../contract/shapes/stream.ts';
import type { Address } from '../../core/events.ts';
import type { Heads } from '../../db/heads.ts';
import type { Change, ToldEvent } from '../../db/read/changes.ts';
import { isoTime } from '../render/time.ts';

/** Which changes a reader wants; `undefined` wants all. */
export interface StreamFilter {
  readonly campaigns: ReadonlySet<string> | undefined;
  /** Lower case. */
  readonly accounts: ReadonlySet<Address> | undefined;
}

/** What all readers without a filter get, and what the others get theirs from. */
export interface Entry {
  readonly change: Change;
  /** Of the whole message; empty where nothing of the change stands. */
  readonly text: string;
}

/** Heads as they are told. */
export type StreamHeads = StreamData<'head'>['heads'];

/** The id of a message: which ledger the number is of, and the number. */
export function idOf(epoch: string, sequence: number): string {
  return `${epoch}-${sequence}`;
}

/** @returns `undefined` for what is no id of ours. */
export function readId(text: string): { epoch: string; sequence: number } | undefined {
  const [, epoch, digits] = /^([0-9a-f]{8})-(0|[1-9][0-9]{0,14})$/.exec(text) ?? [];
  return epoch === undefined ? undefined : { epoch, sequence: Number(digits) };
}

/** A message as it travels (HTML Standard, «Server-sent events»). */
export function messageText<N extends StreamEventName>(
  event: N,
  id: string,
  data: StreamData<N>,
): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function entryOf(epoch: string, change: Change): Entry {
  return { change, text: textOf(epoch, change) };
}

/** What a reader with that filter gets of a change; empty where it is nothing. */
export function filteredText(epoch: string, { change, text }: Entry, filter: StreamFilter): string {
  const { campaigns, accounts } = filter;
  if (campaigns !== undefined && !campaigns.has(change.campaignId)) return '';
  // A reader may hold any of a campaign's events: all are told what is taken back.
  if (accounts === undefined || change.kind === 'retracted') return text;
  const events = change.events.filter((event) => event.accounts.some((one) => accounts.has(one)));
  return textOf(epoch, { ...change, events });
}

function textOf(epoch: string, change: Change): string {
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

function streamedEvent(event: ToldEvent): StreamData<'settled'>['events'][number] {
  return {
    seq: event.seq,
    name: event.name,
    saleId: event.saleId,
    accounts: [...event.accounts],
    blockNumber: String(event.blockNumber),
    blockHash: event.blockHash,
    transactionHash: event.transactionHash,
    logIndex: event.logIndex,
  };
}

/** The heads as readers get them; `undefined` before the first settled block. */
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
