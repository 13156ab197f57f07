import type { Sql } from '../connection.ts';
import { isListed } from './campaign-filters.ts';
import { ledgerId, probeId } from './ids.ts';
import { limitTo, type OneRead } from './one-read.ts';
import { type SaleRow, type SaleView, saleColumns, saleJoins, saleOf } from './sale-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Where a page of sales ended. */
export interface SalePlace {
  readonly saleId: string;
  readonly campaignId: string;
}

export interface SalePage {
  readonly items: readonly SaleView[];
  /** `null` where this is the last page. */
  readonly next: SalePlace | null;
}

/** Sales of all campaigns that lists show, newest first: one statement. */
export function recentSales({
  after,
  limit,
}: {
  readonly after: SalePlace | undefined;
  readonly limit: number;
}): OneRead<SaleRow, SalePage> {
  return {
    select: (sql, at) => sql`
      select ${saleColumns(sql)} from ledger.sale sale ${saleJoins(sql, at)}
      where sale.block_number <= ${at.number}
        and ${isListed(sql)}
        ${after ? sql`and ${afterSale(sql, after)}` : sql``}
      order by sale.sale_id desc, sale.campaign_id desc ${limitTo(sql, limit + 1)}`,
    answer: (rows) => pageOf(rows, limit),
  };
}

/** Sales of a campaign, newest first: one statement. `undefined` where there is no such campaign. */
export function campaignSales(
  campaignId: string,
  { after, limit }: { readonly after: SalePlace | undefined; readonly limit: number },
): OneRead<SaleRow | { sale_id: null }, SalePage | undefined> {
  const id = probeId(campaignId);
  return {
    select: (sql, at) => sql`
      select page.* from ledger.campaign known
      left join lateral (
        select ${saleColumns(sql)} from ledger.sale sale ${saleJoins(sql, at)}
        where sale.campaign_id = known.campaign_id and sale.block_number <= ${at.number}
          ${after ? sql`and sale.sale_id < ${after.saleId}::bigint` : sql``}
        order by sale.sale_id desc ${limitTo(sql, limit + 1)}
      ) page on true
      where known.campaign_id = ${id} and known.created_block <= ${at.number}
      order by page.sale_id desc`,
    answer: (rows) => {
      if (rows.length === 0) return undefined;
      return pageOf(
        rows.flatMap((row) => (row.sale_id === null ? [] : [row])),
        limit,
      );
    },
  };
}

/** Whether a campaign was created at or below the settled block. */
export async function campaignExists(
  { sql, head }: Snapshot,
  campaignId: string,
): Promise<boolean> {
  const id = ledgerId(campaignId);
  if (id === undefined) return false;
  const rows = await sql`
    select 1 from ledger.campaign
    where campaign_id = ${id} and created_block <= ${head.number}`;
  return rows.length > 0;
}

/** A condition on `sale`: it comes after that place. */
export function afterSale(sql: Sql, { saleId, campaignId }: SalePlace) {
  return sql`sale.sale_id <= ${saleId}::bigint
    and (sale.sale_id < ${saleId}::bigint or sale.campaign_id < ${campaignId}::bigint)`;
}

function pageOf(rows: readonly SaleRow[], limit: number): SalePage {
  const items = rows.slice(0, limit).map(saleOf);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? { saleId: last.saleId, campaignId: last.campaignId } : null };
}
