import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { limitTo } from '../../planner.ts';
import { integer, rowCodec, type StoredRow, small, text, type View } from '../../row.ts';
import { entryRow, transactionRow } from '../../rows/event.ts';
import { firstSaleId, newestSaleId } from '../as-of/balance.ts';
import { asEntries, reservationOrdinal } from '../as-of/reservations.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const { heldAfter: _heldAfter, ...entryFields } = entryRow.fields;

const entryView = rowCodec({
  ...entryFields,
  seq: integer,
  ordinal: small,
  event: text,
  tx: transactionRow.fields,
});

/** A movement of an account's money, with its event; amounts in base units. */
export type EntryView = View<typeof entryView>;

/** Filters of entries; `undefined` does not filter. */
export interface EntryFilter {
  readonly account: Address | undefined;
  /** As `probeId` returns it. */
  readonly saleId: string | undefined;
}

/** Position of an entry: its event, and its place among the entries of the event. */
export interface EntryPosition {
  readonly seq: string;
  readonly ordinal: string;
}

interface EntryQuery extends EntryFilter {
  readonly campaignId: string;
  /** Sequence number of the newest event to read. */
  readonly seq: string;
  readonly after: EntryPosition | undefined;
  readonly limit: number;
}

/** Entries of a campaign and the reservations of its sales, oldest first: one statement. */
export async function listEntries(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  filter: EntryFilter,
  page: { readonly after: EntryPosition | undefined; readonly limit: number },
): Promise<EntryView[]> {
  const query = { ...filter, ...page, campaignId, seq: String(seq) };
  const rows = await sql<StoredRow[]>`
    select entry.*, journal.name as event, journal.transaction_hash, journal.block_timestamp
    from (
      (${storedEntries(sql, query)})
      union all
      select * from ${asEntries(sql, reservedLevels(sql, query))} reserved
    ) entry
    join ledger.journal
      on journal.campaign_id = entry.campaign_id and journal.seq = entry.seq
    order by entry.seq, entry.ordinal ${limitTo(sql, page.limit)}`;
  return rows.map(entryView.decode);
}

function storedEntries(sql: Sql, { campaignId, seq, account, saleId, after, limit }: EntryQuery) {
  return sql`
    select campaign_id, seq, ordinal, block_number, kind, account, sale_id, level, node_id, amount,
      reserved_after, claimable_after, claimed_after, refunded_after, reversed_after, held_after
    from ledger.entry
    where entry.campaign_id = ${campaignId} and entry.seq <= ${seq}
      ${account === undefined ? sql`` : sql`and entry.account = ${account}`}
      ${saleId === undefined ? sql`` : sql`and entry.sale_id = ${saleId}::bigint`}
      ${after === undefined ? sql`` : sql`and (entry.seq, entry.ordinal) > (${after.seq}::bigint, ${after.ordinal}::smallint)`}
    order by entry.seq, entry.ordinal ${limitTo(sql, limit)}`;
}

/** Levels of a page of reservations. Ids of sales rise with their events, so an index has them in their order. */
function reservedLevels(sql: Sql, { campaignId, seq, account, saleId, after, limit }: EntryQuery) {
  return sql`
    select level.*, sale.seq, sale.block_number from ledger.sale_level level
    join ledger.sale on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
    where level.campaign_id = ${campaignId} and level.share <> 0 and sale.seq <= ${seq}
      and level.sale_id <= ${newestSaleId(sql, { campaignId, seq })}
      ${account === undefined ? sql`` : sql`and level.recipient = ${account}`}
      ${saleId === undefined ? sql`` : sql`and level.sale_id = ${saleId}::bigint`}
      ${
        after === undefined
          ? sql``
          : sql`and level.sale_id >= ${firstSaleId(sql, { campaignId, seq: after.seq })}
              and (sale.seq > ${after.seq}::bigint or (sale.seq = ${after.seq}::bigint
                and ${reservationOrdinal(sql)} > ${after.ordinal}::smallint))`
      }
    order by level.sale_id, level.level ${limitTo(sql, limit)}`;
}
