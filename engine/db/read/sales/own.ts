import type { DisputeStatus } from '../../../core/dispute.ts';
import type { Address, Hex } from '../../../core/events.ts';
import type { SaleState } from '../../../core/fold/index.ts';
import type { Sql } from '../../connection.ts';
import { ledgerId } from '../../ids.ts';
import { amount, as, optional, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { saleState } from '../as-of/sale.ts';
import { disputeStatusSql } from '../disputes/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import { afterSale, type SaleCursor } from './list.ts';
import { matches } from './lookup.ts';
import { saleRewards } from './rewards.ts';
import { joinSale, joinSaleState, saleColumns, saleView } from './rows.ts';

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

/** Filters of a buyer's sales; `undefined` does not filter. */
export interface BuyerFilter {
  readonly buyer: Address;
  readonly campaignId: string | undefined;
  readonly state: SaleState | undefined;
}

/** Filters of a merchant's sales; `undefined` does not filter. */
export interface MerchantFilter {
  readonly merchant: Address;
  readonly campaignId: string | undefined;
  readonly state: SaleState | undefined;
  readonly buyer: Address | undefined;
  /** Unix milliseconds, `to` exclusive. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly orderKey: Hex | undefined;
  readonly transactionHash: Hex | undefined;
  /** As `probeId` returns it; 0 for direct sales. */
  readonly nodeId: string | undefined;
  readonly skuHash: Hex | undefined;
}

/** Sales to a buyer, newest first: one statement. */
export async function buyerSales(
  { sql, head }: Snapshot,
  { buyer, campaignId, state }: BuyerFilter,
  { after, limit }: Page,
): Promise<OwnSalePage> {
  if (campaignId !== undefined && ledgerId(campaignId) === undefined) return EMPTY;
  const rows = await sql<StoredRow[]>`
    select ${ownColumns(sql)} from ledger.sale sale ${joinSale(sql, head)} ${disputeJoin(sql)}
    where sale.buyer = ${buyer} and sale.block_number <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and sale.campaign_id = ${campaignId}`}
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
  const { merchant, campaignId, state, buyer, range, orderKey, skuHash } = filter;
  const direction = isAscending ? sql`asc` : sql`desc`;
  if (campaignId !== undefined && ledgerId(campaignId) === undefined) return EMPTY;
  const rows = await sql<StoredRow[]>`
    with picked as materialized (
      select one.campaign_id, one.sale_id from ledger.campaign owned cross join lateral (
        select sale.campaign_id, sale.sale_id
        from ledger.sale sale ${state === undefined ? sql`` : joinSaleState(sql, head)}
        where sale.campaign_id = owned.campaign_id and sale.block_number <= ${head.number}
          ${matches(sql, sql`sale`, { orderKey, skuHash, buyer })}
          ${range === undefined ? sql`` : recordedIn(sql, range)} ${soldBy(sql, filter)}
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

/** Conditions on `sale`: it was sold by the node, or without one, and recorded by the transaction. */
function soldBy(sql: Sql, { transactionHash, nodeId }: MerchantFilter) {
  const node = nodeId === '0' ? sql`is null` : sql`= ${nodeId ?? null}::bigint`;
  return sql`
    ${nodeId === undefined ? sql`` : sql`and sale.node_id ${node}`}
    ${
      transactionHash === undefined
        ? sql``
        : sql`and (sale.campaign_id, sale.sale_id) in (
            select campaign_id, sale_id from ledger.journal
            where transaction_hash = ${transactionHash} and name = 'SaleRecorded'
          )`
    }`;
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
    left join commerce.dispute dispute on dispute.buyer = sale.buyer
      and dispute.order_key = sale.order_key and dispute.campaign_id = sale.campaign_id
      and dispute.merchant = campaign.merchant`;
}

function stateIs(sql: Sql, state: SaleState | undefined) {
  return state === undefined ? sql`` : sql`and ${saleState(sql)} = ${state}`;
}

/** A condition on `sale`: it was recorded in the range. Blocks have whole seconds. */
function recordedIn(sql: Sql, { from, to }: { readonly from: number; readonly to: number }) {
  return sql`and sale.block_timestamp >= ${Math.ceil(from / 1_000)}
    and sale.block_timestamp < ${Math.ceil(to / 1_000)}`;
}

function pageOf(rows: readonly StoredRow[], limit: number): OwnSalePage {
  const items = rows.slice(0, limit).map(ownSaleView.decode);
  const last = rows.length > limit ? items.at(-1)?.sale : undefined;
  return { items, next: last ? { saleId: last.saleId, campaignId: last.campaignId } : null };
}
