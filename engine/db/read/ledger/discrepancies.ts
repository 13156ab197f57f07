import { limitTo } from '../../planner.ts';
import { hex, id, integer, rowCodec, type StoredRow, small, text, type View } from '../../row.ts';
import { discrepancyRow, transactionRow } from '../../rows/event.ts';
import type { Snapshot } from '../snapshot.ts';

const discrepancy = rowCodec({
  campaignId: id,
  seq: integer,
  ordinal: small,
  ...discrepancyRow.fields,
  event: text,
  blockHash: hex,
  tx: transactionRow.fields,
});

/** An amount on the chain that differs from what settlement computed. */
export type RecordedDiscrepancy = View<typeof discrepancy>;

/** Position of a discrepancy. */
export interface DiscrepancyPosition {
  readonly campaignId: string;
  readonly seq: string;
  readonly ordinal: string;
}

/** Discrepancies by campaign and event: one statement. @param campaignId as `probeId` returns it. */
export async function listDiscrepancies(
  { sql, head }: Snapshot,
  campaignId: string | undefined,
  { after, limit }: { readonly after: DiscrepancyPosition | undefined; readonly limit: number },
): Promise<RecordedDiscrepancy[]> {
  const rows = await sql<StoredRow[]>`
    select found.*, journal.name as event, journal.block_hash, journal.block_number,
      journal.block_timestamp, journal.transaction_hash
    from ledger.discrepancy found
    join ledger.journal on journal.campaign_id = found.campaign_id and journal.seq = found.seq
    where journal.block_number <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and found.campaign_id = ${campaignId}::bigint`}
      ${after === undefined ? sql`` : sql`and (found.campaign_id, found.seq, found.ordinal) > (${after.campaignId}::bigint, ${after.seq}::bigint, ${after.ordinal}::smallint)`}
    order by found.campaign_id, found.seq, found.ordinal ${limitTo(sql, limit)}`;
  return rows.map(discrepancy.decode);
}
