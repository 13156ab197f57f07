import { id, nullable, rowCodec, type StoredRow, type View } from '../../row.ts';
import { eventOf, eventView, type SaleEvent } from '../sales/events.ts';
import type { Snapshot } from '../snapshot.ts';
import type { CampaignView } from './rows.ts';

const saleOfEvent = rowCodec({ saleId: nullable(id) });

/** An event of a campaign, and of a sale if `saleId` is not null. */
export type CampaignEvent = SaleEvent & View<typeof saleOfEvent>;

/** The events of a campaign, newest first: one statement. */
export async function campaignEvents(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  { beforeSeq, limit }: { readonly beforeSeq: string | undefined; readonly limit: number },
): Promise<CampaignEvent[]> {
  const rows = await sql<StoredRow[]>`
    select ${eventView.columns(sql, 'journal')}, journal.sale_id from ledger.journal
    where journal.campaign_id = ${campaignId} and journal.seq <= ${seq}
      ${beforeSeq === undefined ? sql`` : sql`and journal.seq < ${beforeSeq}::bigint`}
    order by journal.seq desc limit ${limit}`;
  return rows.map((row) => ({ ...eventOf(row), ...saleOfEvent.decode(row) }));
}
