import type { TimeRange } from '../../../core/analytics.ts';
import type { DisputeStatus } from '../../../core/dispute.ts';
import type { Address } from '../../../core/events.ts';
import type { SaleState } from '../../../core/fold/index.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { hexText } from '../../hex.ts';
import { ledgerId } from '../../ids.ts';
import {
  amount,
  as,
  flag,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { saleState } from '../as-of/sale.ts';
import { disputeStatusSql } from '../disputes/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  type OrderedPage,
  type OrderedQuery,
  orderedPage,
  orderOf,
  type PaidRange,
  paidWithin,
  pickedSales,
} from './find-sales.ts';
import { afterSale, type SaleCursor } from './list.ts';
import { inTransaction, matches, type SaleLookup } from './lookup.ts';
import { isNamed, type SaleName, sellsNamed } from './named.ts';
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
  /** Checkout through this service; `null` without one. */
  intentId: nullable(text),
  /** True if the buyer gave the merchant details, such as an address. */
  hasDetails: flag,
  /** Address for buyers to write to; `null` if the merchant named none. */
  supportEmail: nullable(text),
  /** Cover of the product now; `null` without one. */
  coverUrl: nullable(text),
  coverAlt: nullable(text),
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
export interface MerchantFilter extends OwnFilter, SaleLookup, PaidRange {
  readonly merchant: Address;
  /** Number, hash or words by which a merchant looks for sales. */
  readonly named: SaleName | undefined;
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
    select ${ownColumns(sql)} from ledger.sale sale ${joinSale(sql, head)} ${joinOrder(sql)}
    where sale.buyer = ${buyer} and sale.block_number <= ${head.number}
      ${campaignId === undefined ? sql`` : sql`and sale.campaign_id = ${campaignId}`}
      ${range === undefined ? sql`` : sql`and ${recordedIn(sql, range)}`}
      ${stateIs(sql, state)} ${after ? sql`and ${afterSale(sql, after)}` : sql``}
    order by sale.sale_id desc, sale.campaign_id desc limit ${limit + 1}`;
  return pageOf(rows, limit);
}

/**
 * Sales of all campaigns of a merchant: one statement. It reads a page of each campaign by that campaign's index, and
 * of these the first of all, so that the sales of others are never read.
 */
export async function merchantSales(
  { sql, head }: Snapshot,
  filter: MerchantFilter,
  page: OrderedQuery,
): Promise<OrderedPage<OwnSale>> {
  const { merchant, campaignId, state } = filter;
  if (campaignId !== undefined && ledgerId(campaignId) === undefined) return EMPTY;
  const owned = sql`campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
    ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}
    ${filter.named && 'words' in filter.named ? sellsNamed(sql, merchant, filter.named.words) : sql``}`;
  const conditions = sql`
    ${matches(sql, sql`sale`, filter)} ${inTransaction(sql, filter, head)}
    ${inPeriods(sql, filter, sql`campaign_state.seq`)} ${stateIs(sql, state)} ${paidWithin(sql, filter)}
    ${filter.named === undefined ? sql`` : isNamed(sql, head, merchant, filter.named)}`;
  const rows = await sql<StoredRow[]>`
    with ${pickedSales(sql, head, { owned, conditions, page })}
    select ${ownColumns(sql)}, picked.paid from picked
    join ledger.sale sale
      on sale.campaign_id = picked.campaign_id and sale.sale_id = picked.sale_id
    ${joinSale(sql, head)} ${joinOrder(sql)}
    order by ${orderOf(sql, page.order, sql`picked`)}`;
  return orderedPage(rows, page, ownSaleView.decode, ({ sale }) => sale);
}

/** Conditions on a `sale` of `campaign`. @param seq newest event of the campaign at the block read. */
function inPeriods(sql: Sql, { range, finalized, changed }: MerchantFilter, seq: Fragment) {
  const campaignId = sql`campaign.campaign_id`;
  return sql`
    ${range === undefined ? sql`` : sql`and ${recordedIn(sql, range)}`}
    ${finalized === undefined ? sql`` : sql`and ${finalizedIn(sql, finalized, campaignId, seq)}`}
    ${changed === undefined ? sql`` : sql`and ${changedIn(sql, changed, campaignId, seq)}`}`;
}

const EMPTY = { items: [], next: null };

/** Columns of `ownSaleView`, of `sale` with what `joinSale` and `joinOrder` join. */
export function ownColumns(sql: Sql) {
  return sql`
    ${saleColumns(sql)}, dispute.id as dispute_id, ${disputeStatusSql(sql)} as dispute_status,
    ${saleRewards(sql)} as rewards, intent.id as intent_id, details.intent_id is not null as has_details,
    merchant.support_email, described.cover_url, described.cover_alt`;
}

/** Joins to a `sale` with its `campaign` its dispute, its checkout, and the details that its buyer gave. */
export function joinOrder(sql: Sql) {
  return sql`
    left join commerce.dispute dispute on dispute.buyer = ${hexText(sql, sql`sale.buyer`)}
      and dispute.order_key = ${hexText(sql, sql`sale.order_key`)} and dispute.campaign_id = sale.campaign_id
      and dispute.merchant = campaign.merchant
    left join commerce.checkout_intent intent on intent.buyer = ${hexText(sql, sql`sale.buyer`)}
      and intent.order_key = ${hexText(sql, sql`sale.order_key`)} and intent.campaign_id = sale.campaign_id
      and intent.terms_hash = campaign.terms_hash
    left join commerce.buyer_details details on details.intent_id = intent.id
      and details.merchant = campaign.merchant`;
}

function stateIs(sql: Sql, state: SaleState | undefined) {
  return state === undefined ? sql`` : sql`and ${saleState(sql)} = ${state}`;
}

function pageOf(rows: readonly StoredRow[], limit: number): OwnSalePage {
  const items = rows.slice(0, limit).map(ownSaleView.decode);
  const last = rows.length > limit ? items.at(-1)?.sale : undefined;
  return { items, next: last ? { saleId: last.saleId, campaignId: last.campaignId } : null };
}
