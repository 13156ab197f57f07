import type { CampaignView } from './campaign-rows.ts';
import { type EventRow, eventColumns, eventOf, type SaleEvent } from './sale-events.ts';
import type { Snapshot } from './snapshot.ts';

/** An event of a campaign; of a sale where `saleId` names one. */
export interface CampaignEvent extends SaleEvent {
  readonly saleId: string | null;
}

/** The events of a campaign, newest first: one statement. */
export async function campaignEvents(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  { beforeSeq, limit }: { readonly beforeSeq: string | undefined; readonly limit: number },
): Promise<CampaignEvent[]> {
  const rows = await sql<(EventRow & { sale_id: string | null })[]>`
    select ${eventColumns(sql)}, journal.sale_id from ledger.journal
    where journal.campaign_id = ${campaignId} and journal.seq <= ${seq}
      ${beforeSeq === undefined ? sql`` : sql`and journal.seq < ${beforeSeq}::bigint`}
    order by journal.seq desc limit ${limit}`;
  return rows.map((row) => ({ ...eventOf(row), saleId: row.sale_id }));
}
