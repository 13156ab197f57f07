import type { TimeRange } from '../../../core/analytics.ts';
import type { DisputeStatus } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import type { SaleState } from '../../../core/fold/index.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { hexText } from '../../hex.ts';
import { ledgerId } from '../../ids.ts';
import { amount, as, optional, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinBeforeChange, saleState } from '../as-of/sale.ts';
import { disputeStatusSql } from '../disputes/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import { afterSale, type SaleCursor } from './list.ts';
import { inTransaction, matches, type SaleLookup } from './lookup.ts';
import { changedIn, finalizedIn, recordedIn } from './periods.ts';
import { saleRewards } from './rewards.ts';
import { joinSale, saleColumns, saleView } from './rows.ts';

/** Row codec of `OwnSale`. */
export const ownSaleView = rowCodec({
  sale: saleView.fields,
  dispute: optional({
    id: text.from('dispute_id'),
    status: as<DisputeStatus>().from('dispute_status'),
  }),
  /** Base units that all levels have of it now. */
  rewards: amount,
});

/** A sale as its buyer or its merchant sees it. */
export type OwnSale = View<typeof ownSaleView>;

/** A page of sales as one of their sides sees them. */
export interface OwnSalePage {
  readonly items: readonly OwnSale[];
  /** `null` on the last page. */
  readonly next: SaleCursor | null;
}

interface Page {
  readonly after: SaleCursor | undefined;
  readonly limit: number;
}

/** Filters of both sides; `undefined` does not filter. */
interface OwnFilter {
  readonly campaignId: string | undefined;
  readonly state: SaleState | undefined;
  /** Only sales recorded in it. */
  readonly range: TimeRange | undefined;
}

/** Filters of a buyer's sales; `undefined` does not filter. */
export interface BuyerFilter extends OwnFilter {
  readonly buyer: Address;
}

/** Filters of a merchant's sales; `undefined` does not filter. */
export interface MerchantFilter extends OwnFilter, SaleLookup {
  readonly merchant: Address;
  /** Only sales finalized in it. */
  readonly finalized: TimeRange | undefined;
  /** Only sales whose newest event is in it. */
  readonly changed: TimeRange | undefined;
}

/** Sales to a buyer, newest first: one statement. */
export async function buyerSales(
  { sql, head }: Snapshot,
  { buyer, campaignId, state, range }: BuyerFilter,
  { after, limit }: Page,
): Promise<OwnSalePage> {
  if (campaignId !== undefined && ledgerId(campaignId) === undefined) return EMPTY;
  const rows = await sql<StoredRow[]>`
    select ${ownColumns(sql)} from ledger.sale sale ${joinSale(sql, head)} ${disputeJoin(sql)}
    where sale.buyer = ${buyer} and sale.block_number <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and sale.campaign_id = ${campaignId}`}
      ${range === undefined ? sql`` : sql`and ${recordedIn(sql, range)}`}
      ${stateIs(sql, state)} ${after ? sql`and ${afterSale(sql, after)}` : sql``}
    order by sale.sale_id desc, sale.campaign_id desc limit ${limit + 1}`;
  return pageOf(rows, limit);
}

/**
 * Sales of all campaigns of a merchant, by id: one statement. It reads a page of each campaign by that
 * campaign's index, and of these the first of all, so that the sales of others are never read.
 * @param page `isAscending` returns the oldest first.
 */
export async function merchantSales(
  { sql, head }: Snapshot,
  filter: MerchantFilter,
  { after, limit, isAscending }: Page & { readonly isAscending: boolean },
): Promise<OwnSalePage> {
  const { merchant, campaignId, state } = filter;
  const direction = isAscending ? sql`asc` : sql`desc`;
  if (campaignId !== undefined && ledgerId(campaignId) === undefined) return EMPTY;
  const seq = sql`campaign_state.seq`;
  const rows = await sql<StoredRow[]>`
    with picked as materialized (
      select one.campaign_id, one.sale_id from ledger.campaign owned
      cross join lateral ${newestEvent(sql, head, sql`owned.campaign_id`, sql`seq`)} campaign_state
      cross join lateral (
        select sale.campaign_id, sale.sale_id
        from ledger.sale sale ${joinBeforeChange(sql, seq)}
        where sale.campaign_id = owned.campaign_id and sale.block_number <= ${head.number}
          ${matches(sql, sql`sale`, filter)} ${inTransaction(sql, filter, head)}
          ${inPeriods(sql, filter, seq)}
          ${stateIs(sql, state)} ${after ? sql`and ${position(sql, after, isAscending)}` : sql``}
        order by sale.sale_id ${direction} limit ${limit + 1}
      ) one
      where owned.merchant = ${merchant} and owned.created_block <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and owned.campaign_id = ${campaignId}`}
      order by one.sale_id ${direction}, one.campaign_id ${direction} limit ${limit + 1}
    )
    select ${ownColumns(sql)} from picked
    join ledger.sale sale
      on sale.campaign_id = picked.campaign_id and sale.sale_id = picked.sale_id
    ${joinSale(sql, head)} ${disputeJoin(sql)}
    order by sale.sale_id ${direction}, sale.campaign_id ${direction}`;
  return pageOf(rows, limit);
}

/** Conditions on a `sale` of `owned`. @param seq newest event of the campaign at the block read. */
function inPeriods(sql: Sql, { range, finalized, changed }: MerchantFilter, seq: Fragment) {
  const campaignId = sql`owned.campaign_id`;
  return sql`
    ${range === undefined ? sql`` : sql`and ${recordedIn(sql, range)}`}
    ${finalized === undefined ? sql`` : sql`and ${finalizedIn(sql, finalized, campaignId, seq)}`}
    ${changed === undefined ? sql`` : sql`and ${changedIn(sql, changed, campaignId, seq)}`}`;
}

/** A condition on `sale`: it comes after the cursor in the order of the list. */
function position(sql: Sql, after: SaleCursor, isAscending: boolean) {
  if (!isAscending) return afterSale(sql, after);
  return sql`(sale.sale_id, sale.campaign_id) > (${after.saleId}::bigint, ${after.campaignId}::bigint)`;
}

const EMPTY: OwnSalePage = { items: [], next: null };

/** Columns of `ownSaleView`, of `sale` with what `joinSale` and `disputeJoin` join. */
export function ownColumns(sql: Sql) {
  return sql`
    ${saleColumns(sql)}, dispute.id as dispute_id, ${disputeStatusSql(sql)} as dispute_status,
    ${saleRewards(sql)} as rewards`;
}

/** Joins its dispute to a `sale` with its `campaign`. */
export function disputeJoin(sql: Sql) {
  return sql`
    left join commerce.dispute dispute on dispute.buyer = ${hexText(sql, sql`sale.buyer`)}
      and dispute.order_key = ${hexText(sql, sql`sale.order_key`)} and dispute.campaign_id = sale.campaign_id
      and dispute.merchant = campaign.merchant`;
}

function stateIs(sql: Sql, state: SaleState | undefined) {
  return state === undefined ? sql`` : sql`and ${saleState(sql)} = ${state}`;
}

function pageOf(rows: readonly StoredRow[], limit: number): OwnSalePage {
  const items = rows.slice(0, limit).map(ownSaleView.decode);
  const last = rows.length > limit ? items.at(-1)?.sale : undefined;
  return { items, next: last ? { saleId: last.saleId, campaignId: last.campaignId } : null };
}
