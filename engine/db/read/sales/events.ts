import type { Fragment, Sql } from '../../connection.ts';
import {
  as,
  byteHash,
  integer,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  text,
  type View,
} from '../../row.ts';
import { discrepancyRow } from '../../rows/event.ts';
import { jsonRows } from '../one-read.ts';

/** An event and its location on the chain: columns of `ledger.journal`. */
export const eventView = rowCodec({
  seq: integer,
  name: text,
  /** As decoded; amounts as decimal digits. */
  args: as<Readonly<Record<string, unknown>>>(),
  blockNumber: integer,
  blockHash: byteHash,
  blockTimestamp: seconds,
  transactionHash: byteHash,
  logIndex: small,
});

/** An event of a campaign or sale; its `args` do not repeat the `campaignId`. */
export type SaleEvent = View<typeof eventView>;

/** Decodes a row with the columns of `eventView`. */
export function eventOf(row: StoredRow): SaleEvent {
  return withoutCampaign(eventView.decode(row));
}

/** An event whose `args` do not repeat the `campaignId`. */
export function withoutCampaign(event: SaleEvent): SaleEvent {
  const { campaignId: _campaignId, ...args } = event.args;
  return { ...event, args };
}

/** Events of a sale: those after `afterSeq`, until `throughSeq` or `throughBlock`. */
export interface EventRange {
  readonly campaignId: string | Fragment;
  readonly saleId: string | Fragment;
  /** Decimal digits. */
  readonly afterSeq?: string;
  readonly throughSeq?: number | Fragment;
  readonly throughBlock?: number | Fragment;
  readonly limit: number;
}

/** Events of a sale, oldest first: one statement. */
export async function saleEvents(sql: Sql, range: EventRange): Promise<SaleEvent[]> {
  return (await sql<StoredRow[]>`${eventsIn(sql, range)}`).map(eventOf);
}

/** Events of a sale, oldest first, as one JSON value. */
export function saleEventRows(sql: Sql, range: EventRange) {
  return jsonRows(sql, eventsIn(sql, range), eventView, 'each.seq');
}

function eventsIn(
  sql: Sql,
  { campaignId, saleId, afterSeq, throughSeq, throughBlock, limit }: EventRange,
) {
  return sql`
    select ${eventView.columns(sql, 'journal')} from ledger.journal
    where campaign_id = ${campaignId} and sale_id = ${saleId}
      ${afterSeq === undefined ? sql`` : sql`and seq > ${afterSeq}`}
      ${throughSeq === undefined ? sql`` : sql`and seq <= ${throughSeq}`}
      ${throughBlock === undefined ? sql`` : sql`and block_number <= ${throughBlock}`}
    order by seq limit ${limit}`;
}

const { saleId: _saleId, ...discrepancyFields } = discrepancyRow.fields;

/** Row codec of `DiscrepancyView`. */
export const discrepancyView = rowCodec(discrepancyFields);

/** A figure of a sale's event that settlement computed, and that the chain reported differently. */
export type DiscrepancyView = View<typeof discrepancyView>;

/** The discrepancies of a sale's events as one JSON value, 100 at most. */
export function saleDiscrepancyRows(
  sql: Sql,
  {
    campaignId,
    saleId,
    throughSeq,
  }: Pick<EventRange, 'campaignId' | 'saleId'> & { readonly throughSeq: Fragment },
) {
  const found = sql`
    select found.seq, found.ordinal, ${discrepancyView.columns(sql, 'found')}
    from ledger.journal
    join ledger.discrepancy found
      on found.campaign_id = journal.campaign_id and found.seq = journal.seq
    where journal.campaign_id = ${campaignId} and journal.sale_id = ${saleId}
      and journal.seq <= ${throughSeq}
    order by found.seq, found.ordinal limit 100`;
  return jsonRows(sql, found, discrepancyView, 'each.seq, each.ordinal');
}
