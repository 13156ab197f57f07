import { formatEventId } from '../../../core/event-id.ts';
import type { Hex } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { ledgerId } from '../../ids.ts';
import { type CommonEvent, commonEvent } from '../../indexer/facts.ts';
import { hex, id, integer, rowCodec, type StoredRow, seconds, small, text } from '../../row.ts';

/** A campaign that a replay checks. */
export interface ReplayTarget {
  readonly campaignId: string;
  /** Number of its events. */
  readonly seq: number;
}

/**
 * Campaigns with an event at or above a block, and those that settlement stopped, by id.
 * @param campaignId only this one.
 */
export async function replayTargets(
  sql: Sql,
  fromBlock: number,
  campaignId?: string,
): Promise<ReplayTarget[]> {
  const id = campaignId === undefined ? undefined : ledgerId(campaignId);
  if (campaignId !== undefined && id === undefined) return [];
  const rows = await sql<{ campaign_id: string; seq: string }[]>`
    select campaign_id, seq from ledger.cursor
    where (block_number >= ${fromBlock} or stopped_at is not null)
      ${id === undefined ? sql`` : sql`and campaign_id = ${id}::bigint`}
    order by campaign_id`;
  return rows.map((row) => ({ campaignId: row.campaign_id, seq: Number(row.seq) }));
}

/** True if the ledger has a cursor of the campaign. */
export async function isKnownCampaign(sql: Sql, campaignId: string): Promise<boolean> {
  const id = ledgerId(campaignId);
  if (id === undefined) return false;
  const rows = await sql`select 1 from ledger.cursor where campaign_id = ${id}::bigint`;
  return rows.length > 0;
}

/** The newest event of a campaign below a block; `undefined` if there is none. */
export async function lastEventBelow(
  sql: Sql,
  campaignId: string,
  block: number,
): Promise<CommonEvent | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${commonEvent.columns(sql, 'journal')} from ledger.journal
    where campaign_id = ${campaignId} and block_number < ${block}
    order by block_number desc, seq desc limit 1`;
  return row && commonEvent.decode(row);
}

/** A campaign's digest after its newest event at or below a block; `undefined` before its first. */
export async function digestAt(
  sql: Sql,
  campaignId: string,
  block: number,
): Promise<Hex | undefined> {
  const [row] = await sql<{ digest: Hex }[]>`
    select digest from ledger.journal
    where campaign_id = ${campaignId} and block_number <= ${block}
    order by block_number desc, seq desc limit 1`;
  return row?.digest;
}

const namedEvent = rowCodec({
  location: {
    chainId: id,
    timestamp: seconds.from('block_timestamp'),
    blockNumber: integer,
    transactionIndex: small,
    logIndex: small,
  },
  name: text,
  transactionHash: hex,
});

/** An event of a campaign, as the ledger has it. */
export interface NamedEvent {
  /** Ponder's event id: 75 digits. */
  readonly eventId: string;
  readonly name: string;
  readonly blockNumber: number;
  readonly transactionHash: Hex;
}

/** The event of a campaign with a sequence number; `undefined` if there is none. */
export async function eventAt(
  sql: Sql,
  campaignId: string,
  seq: number,
): Promise<NamedEvent | undefined> {
  const [row] = await sql<StoredRow[]>`
    select chain_id, block_timestamp, block_number, transaction_index, log_index, name,
      transaction_hash
    from ledger.journal cross join ledger.deployment
    where campaign_id = ${campaignId} and seq = ${seq}`;
  if (row === undefined) return undefined;
  const { location, ...event } = namedEvent.decode(row);
  const { blockNumber } = location;
  return { eventId: formatEventId(location), blockNumber, ...event };
}
