import type { Hex } from '../../../core/events.ts';
import { limitTo } from '../../planner.ts';
import { amount, flag, hex, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { transactionRow } from '../../rows/event.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const priceView = rowCodec({
  skuHash: hex,
  /** Base units. */
  price: amount,
  seq: integer,
  isCurrent: flag,
  tx: transactionRow.fields,
});

/** A price that a campaign set for a SKU. */
export type PriceView = View<typeof priceView>;

/** Filters of prices; `undefined` does not filter. */
export interface PriceFilter {
  readonly skuHash: Hex | undefined;
  readonly current: boolean | undefined;
}

/** Prices of a campaign in the order in which they were set; the first is that of its own SKU: one statement. */
export async function listPrices(
  { sql }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  { skuHash, current }: PriceFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<PriceView[]> {
  const rows = await sql<StoredRow[]>`
    select priced.*, journal.transaction_hash, journal.block_number, journal.block_timestamp
    from (
      select one.campaign_id, one.sku_hash, one.price, one.seq, not exists (
        select 1 from ledger.price later
        where later.campaign_id = one.campaign_id and later.sku_hash = one.sku_hash
          and later.seq > one.seq and later.seq <= ${seq}
      ) as is_current
      from ledger.price one
      where one.campaign_id = ${campaignId} and one.seq <= ${seq}
        ${skuHash === undefined ? sql`` : sql`and one.sku_hash = ${skuHash}`}
        ${after === undefined ? sql`` : sql`and one.seq > ${after}::bigint`}
    ) priced
    join ledger.journal on journal.campaign_id = priced.campaign_id and journal.seq = priced.seq
    where true ${current === undefined ? sql`` : sql`and priced.is_current = ${current}`}
    order by priced.seq ${limitTo(sql, limit)}`;
  return rows.map(priceView.decode);
}
