import type { SaleState } from '../../../core/fold/index.ts';
import type { Sql } from '../../connection.ts';
import { ledgerId, probeId } from '../../ids.ts';
import { limitTo } from '../../planner.ts';
import type { StoredRow } from '../../row.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinBeforeChange, saleState } from '../as-of/sale.ts';
import type { AsOf, OneRead } from '../one-read.ts';
import type { Snapshot } from '../snapshot.ts';
import { joinSale, type SaleView, saleColumns, saleView } from './rows.ts';

/** Cursor of a page of sales: its last sale. */
export interface SaleCursor {
  readonly saleId: string;
  readonly campaignId: string;
}

/** A page of sales. */
export interface SalePage {
  readonly items: readonly SaleView[];
  /** `null` on the last page. */
  readonly next: SaleCursor | null;
}

/** Sales of a campaign, newest first: one statement. `undefined` if there is no such campaign. */
export function campaignSales(
  campaignId: string,
  {
    state,
    after,
    limit,
  }: {
    /** `undefined` does not filter. */
    readonly state: SaleState | undefined;
    readonly after: SaleCursor | undefined;
    readonly limit: number;
  },
): OneRead<StoredRow, SalePage | undefined> {
  const id = probeId(campaignId);
  return {
    select: (sql, at) => sql`
      select page.* from ledger.campaign known
      left join lateral (
        select ${saleColumns(sql)} from ledger.sale sale ${joinSale(sql, at)}
        where sale.campaign_id = known.campaign_id and sale.block_number <= ${at.number}
          ${after ? sql`and sale.sale_id < ${after.saleId}::bigint` : sql``}
          ${state === undefined ? sql`` : sql`and sale.sale_id = any(${pageInState(sql, at, state, { after, limit })})`}
        order by sale.sale_id desc ${limitTo(sql, limit + 1)}
      ) page on true
      where known.campaign_id = ${id} and known.created_block <= ${at.number}
      order by page.sale_id desc`,
    answer: (rows) => {
      if (rows.length === 0) return undefined;
      // A campaign without sales has one row, of nulls.
      return pageOf(rows[0]?.sale_id === null ? [] : rows, limit);
    },
  };
}

/**
 * Ids of the sales of a page of `known` in a state, as an array. They are found in `sale_time` alone, which has
 * the states: the sales of a campaign are in the same order by time as by id.
 */
function pageInState(
  sql: Sql,
  at: AsOf,
  state: SaleState,
  { after, limit }: { readonly after: SaleCursor | undefined; readonly limit: number },
) {
  return sql`array(
    select sale.sale_id
    from ${newestEvent(sql, at, sql`known.campaign_id`, sql`seq`)} campaign_state
    join ledger.sale sale
      on sale.campaign_id = known.campaign_id and sale.block_number <= ${at.number}
    ${joinBeforeChange(sql, sql`campaign_state.seq`)}
    where ${saleState(sql)} = ${state} ${after ? sql`and sale.sale_id < ${after.saleId}::bigint` : sql``}
    order by sale.block_timestamp desc, sale.sale_id desc ${limitTo(sql, limit + 1)}
  )`;
}

/** True if a campaign was created at or below the settled block. */
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

/** A condition on `sale`: it is after the cursor. */
export function afterSale(sql: Sql, { saleId, campaignId }: SaleCursor) {
  return sql`sale.sale_id <= ${saleId}::bigint
    and (sale.sale_id < ${saleId}::bigint or sale.campaign_id < ${campaignId}::bigint)`;
}

function pageOf(rows: readonly StoredRow[], limit: number): SalePage {
  const items = rows.slice(0, limit).map(saleView.decode);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? { saleId: last.saleId, campaignId: last.campaignId } : null };
}
