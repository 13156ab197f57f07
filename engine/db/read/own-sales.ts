import type { DisputeStatus } from '../../core/dispute.ts';
import type { Address } from '../../core/events.ts';
import type { SaleState } from '../../core/fold/index.ts';
import type { Sql } from '../connection.ts';
import { disputeStatusSql } from './dispute-rows.ts';
import { ledgerId } from './ids.ts';
import { afterSale, type SalePlace } from './list-sales.ts';
import { saleRewards } from './sale-rewards.ts';
import { type SaleRow, type SaleView, saleColumns, saleJoins, saleOf } from './sale-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** A sale as one of its two sides sees it. */
export interface OwnSale {
  readonly sale: SaleView;
  readonly dispute: { readonly id: string; readonly status: DisputeStatus } | null;
  /** What all levels have of it now, base units. */
  readonly rewards: bigint;
}

export interface OwnSalePage {
  readonly items: readonly OwnSale[];
  /** `null` where this is the last page. */
  readonly next: SalePlace | null;
}

interface Page {
  readonly after: SalePlace | undefined;
  readonly limit: number;
}

export interface BuyerFilter {
  readonly buyer: Address;
  readonly campaignId: string | undefined;
  readonly state: SaleState | undefined;
}

export interface MerchantFilter {
  readonly merchant: Address;
  readonly campaignId: string | undefined;
  readonly state: SaleState | undefined;
  readonly buyer: Address | undefined;
  /** Unix milliseconds: the first belongs to it, the second does not. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
}

interface OwnSaleRow extends SaleRow {
  dispute_id: string | null;
  dispute_status: DisputeStatus;
  rewards: string;
}

/** Sales to a buyer, newest first: one statement. */
export async function buyerSales(
  { sql, head }: Snapshot,
  { buyer, campaignId, state }: BuyerFilter,
  { after, limit }: Page,
): Promise<OwnSalePage> {
  if (campaignId !== undefined && ledgerId(campaignId) === undefined) return EMPTY;
  const rows = await sql<OwnSaleRow[]>`
    select ${ownColumns(sql)} from ledger.sale sale ${saleJoins(sql, head)} ${disputeJoin(sql)}
    where sale.buyer = ${buyer} and sale.block_number <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and sale.campaign_id = ${campaignId}`}
      ${stateIs(sql, state)} ${after ? sql`and ${afterSale(sql, after)}` : sql``}
    order by sale.sale_id desc, sale.campaign_id desc limit ${limit + 1}`;
  return pageOf(rows, limit);
}

/**
 * Sales of all campaigns of a merchant, newest first: one statement. It takes a page of each campaign
 * by its own index, so that the sales of others are never looked at, and of these the newest.
 */
export async function merchantSales(
  { sql, head }: Snapshot,
  filter: MerchantFilter,
  { after, limit }: Page,
): Promise<OwnSalePage> {
  const { merchant, campaignId, state, buyer, range } = filter;
  if (campaignId !== undefined && ledgerId(campaignId) === undefined) return EMPTY;
  const rows = await sql<OwnSaleRow[]>`
    with picked as materialized (
      select one.campaign_id, one.sale_id from ledger.campaign own cross join lateral (
        select sale.campaign_id, sale.sale_id
        from ledger.sale sale ${state === undefined ? sql`` : saleJoins(sql, head)}
        where sale.campaign_id = own.campaign_id and sale.block_number <= ${head.number}
          ${buyer === undefined ? sql`` : sql`and sale.buyer = ${buyer}`}
          ${range === undefined ? sql`` : recordedIn(sql, range)}
          ${stateIs(sql, state)} ${after ? sql`and ${afterSale(sql, after)}` : sql``}
        order by sale.sale_id desc limit ${limit + 1}
      ) one
      where own.merchant = ${merchant} and own.created_block <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and own.campaign_id = ${campaignId}`}
      order by one.sale_id desc, one.campaign_id desc limit ${limit + 1}
    )
    select ${ownColumns(sql)} from picked
    join ledger.sale sale
      on sale.campaign_id = picked.campaign_id and sale.sale_id = picked.sale_id
    ${saleJoins(sql, head)} ${disputeJoin(sql)}
    order by sale.sale_id desc, sale.campaign_id desc`;
  return pageOf(rows, limit);
}

const EMPTY: OwnSalePage = { items: [], next: null };

function ownColumns(sql: Sql) {
  return sql`
    ${saleColumns(sql)}, dispute.id as dispute_id, ${disputeStatusSql(sql)} as dispute_status,
    ${saleRewards(sql)} as rewards`;
}

function disputeJoin(sql: Sql) {
  return sql`
    left join commerce.dispute dispute on dispute.buyer = sale.buyer
      and dispute.order_key = sale.order_key and dispute.campaign_id = sale.campaign_id
      and dispute.merchant = campaign.merchant`;
}

function stateIs(sql: Sql, state: SaleState | undefined) {
  return state === undefined ? sql`` : sql`and coalesce(past.state, sale.state) = ${state}`;
}

/** Blocks have whole seconds. */
function recordedIn(sql: Sql, { from, to }: { readonly from: number; readonly to: number }) {
  return sql`and sale.block_timestamp >= ${Math.ceil(from / 1_000)}
    and sale.block_timestamp < ${Math.ceil(to / 1_000)}`;
}

function pageOf(rows: readonly OwnSaleRow[], limit: number): OwnSalePage {
  const items = rows.slice(0, limit).map((row) => ({
    sale: saleOf(row),
    dispute: row.dispute_id === null ? null : { id: row.dispute_id, status: row.dispute_status },
    rewards: BigInt(row.rewards),
  }));
  const last = rows.length > limit ? items.at(-1)?.sale : undefined;
  return { items, next: last ? { saleId: last.saleId, campaignId: last.campaignId } : null };
}
