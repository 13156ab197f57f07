import type { Address } from '../../../core/events.ts';
import { limitTo } from '../../planner.ts';
import { integer, rowCodec, type StoredRow, small, text, type View } from '../../row.ts';
import { entryRow, transactionRow } from '../../rows/event.ts';
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

/** Entries of a campaign, oldest first: one statement. */
export async function listEntries(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  { account, saleId }: EntryFilter,
  { after, limit }: { readonly after: EntryPosition | undefined; readonly limit: number },
): Promise<EntryView[]> {
  const rows = await sql<StoredRow[]>`
    select entry.*, journal.name as event, journal.transaction_hash, journal.block_timestamp
    from ledger.entry
    join ledger.journal
      on journal.campaign_id = entry.campaign_id and journal.seq = entry.seq
    where entry.campaign_id = ${campaignId} and entry.seq <= ${seq}
      ${account === undefined ? sql`` : sql`and entry.account = ${account}`}
      ${saleId === undefined ? sql`` : sql`and entry.sale_id = ${saleId}::bigint`}
      ${after === undefined ? sql`` : sql`and (entry.seq, entry.ordinal) > (${after.seq}::bigint, ${after.ordinal}::smallint)`}
    order by entry.seq, entry.ordinal ${limitTo(sql, limit)}`;
  return rows.map(entryView.decode);
}
