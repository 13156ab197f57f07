import type { TimeRange } from '../../../core/analytics.ts';
import type { Address } from '../../../core/events.ts';
import type { SaleState } from '../../../core/fold/index.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { limitTo } from '../../planner.ts';
import { id, rowCodec, type StoredRow } from '../../row.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinBeforeChange, saleState } from '../as-of/sale.ts';
import { isListed } from '../campaigns/filters.ts';
import type { AsOf, OneRead } from '../one-read.ts';
import { recordedIn } from './periods.ts';
import { joinSale, type SaleView, saleColumns, saleView } from './rows.ts';

/** Orders of lists of sales: by id, which is that of time, or by what was paid in whole tokens. */
export type SaleOrder = 'newest' | 'oldest' | 'highest' | 'lowest';

/** Cursor of a page of sales in any order: its last sale. */
export interface OrderedCursor {
  readonly saleId: string;
  readonly campaignId: string;
  /** Paid amount, as `comparableAmount` has it; 0 in an order by time. */
  readonly paid: string;
}

/** Lowest and highest price of a sale, in whole tokens, as decimal digits. */
export interface PaidRange {
  readonly paidMin?: string | undefined;
  readonly paidMax?: string | undefined;
}

/** Filters of the sales of all campaigns; `undefined` does not filter. */
export interface SaleFilter extends PaidRange {
  readonly buyer: Address | undefined;
  readonly campaignId: string | undefined;
  readonly state: SaleState | undefined;
  /** Only sales recorded in it. */
  readonly range: TimeRange | undefined;
}

/** A page of sales in any order. */
export interface OrderedPage<T = SaleView> {
  readonly items: readonly T[];
  /** `null` on the last page. */
  readonly next: OrderedCursor | null;
}

/** The page of a list of sales that a request asks for. */
export interface OrderedQuery {
  readonly order: SaleOrder;
  readonly after: OrderedCursor | undefined;
  readonly limit: number;
}

/** Sales of all campaigns that lists show: one statement. */
export function findSales(filter: SaleFilter, page: OrderedQuery): OneRead<StoredRow, OrderedPage> {
  const isByCampaign = isByAmount(page.order) || filter.campaignId !== undefined;
  return {
    select: (sql, at) =>
      isByCampaign ? salesByCampaign(sql, at, filter, page) : salesByTime(sql, at, filter, page),
    // The plan depends on which filters there are, and on how much of the ledger they leave.
    isPlannedEach: filter.state !== undefined || filter.range !== undefined,
    answer: (rows) => orderedPage(rows, page, saleView.decode, (sale) => sale),
  };
}

/** True for an order by amount. */
export function isByAmount(order: SaleOrder): boolean {
  return order === 'highest' || order === 'lowest';
}

/** Sales of all campaigns in the order of their ids, found by the index of the ids or of the states. */
function salesByTime(sql: Sql, at: AsOf, filter: SaleFilter, page: OrderedQuery) {
  const { state } = filter;
  const direction = isDescending(page.order) ? sql`desc` : sql`asc`;
  if (state === undefined || state === 'finalized') {
    return sql`
      select ${saleColumns(sql)}, 0 as paid from ledger.sale sale ${joinSale(sql, at)}
      where ${matching(sql, at, filter, page)}
      order by sale.sale_id ${direction}, sale.campaign_id ${direction} ${limitTo(sql, page.limit + 1)}`;
  }
  // Part of the statement's text: the planner must see which rows the partial index has.
  const inState = sql.unsafe(`'${state}'`);
  const keys = (sales: Fragment) => sql`(
    select sale.campaign_id, sale.sale_id from ${sales}
    join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    cross join lateral ${newestEvent(sql, at, sql`sale.campaign_id`, sql`seq`)} campaign_state
    ${joinBeforeChange(sql, sql`campaign_state.seq`)}
    where ${matching(sql, at, filter, page)}
    order by sale.sale_id ${direction}, sale.campaign_id ${direction} ${limitTo(sql, page.limit + 1)}
  )`;
  return sql`
    with picked as materialized (
      ${keys(sql`(select * from ledger.sale where state = ${inState}) sale`)}
      union all
      -- In the state at the block, and changed by an event above it.
      ${keys(sql`(
        select distinct campaign_id, sale_id from ledger.journal
        where block_number > ${at.number} and sale_id is not null
      ) later join ledger.sale sale on sale.campaign_id = later.campaign_id
        and sale.sale_id = later.sale_id and sale.state <> ${inState}`)}
    )
    select ${saleColumns(sql)}, 0 as paid from picked
    join ledger.sale sale
      on sale.campaign_id = picked.campaign_id and sale.sale_id = picked.sale_id
    ${joinSale(sql, at)}
    order by sale.sale_id ${direction}, sale.campaign_id ${direction} ${limitTo(sql, page.limit + 1)}`;
}

/** Conditions on `sale` with its `campaign` and `before_change`: the filters, and after the cursor. */
function matching(
  sql: Sql,
  at: AsOf,
  filter: SaleFilter,
  { order, after }: OrderedQuery,
): Fragment {
  const { buyer, state, range } = filter;
  return sql`
    sale.block_number <= ${at.number} and ${isListed(sql)}
    ${buyer === undefined ? sql`` : sql`and sale.buyer = ${buyer}`}
    ${after ? sql`and ${isAfter(sql, after, order)}` : sql``}
    ${range === undefined ? sql`` : sql`and ${recordedIn(sql, range)} and ${idsOf(sql, range)}`}
    ${state === undefined ? sql`` : sql`and ${saleState(sql)} = ${state}`}
    ${paidWithin(sql, filter)}`;
}

/**
 * Sales of the campaigns that a filter names: a page of each campaign by that campaign's index, and of these the
 * first of all.
 */
function salesByCampaign(sql: Sql, at: AsOf, filter: SaleFilter, page: OrderedQuery) {
  const { campaignId, buyer, state, range } = filter;
  const owned = sql`campaign.created_block <= ${at.number} and ${isListed(sql)}
    ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}`;
  const conditions = sql`
    ${buyer === undefined ? sql`` : sql`and sale.buyer = ${buyer}`}
    ${range === undefined ? sql`` : sql`and ${recordedIn(sql, range)}`}
    ${state === undefined ? sql`` : sql`and ${saleState(sql)} = ${state}`}
    ${paidWithin(sql, filter)}`;
  return sql`
    with ${pickedSales(sql, at, { owned, conditions, page })}
    select ${saleColumns(sql)}, picked.paid from picked
    join ledger.sale sale
      on sale.campaign_id = picked.campaign_id and sale.sale_id = picked.sale_id
    ${joinSale(sql, at)}
    order by ${orderOf(sql, page.order, sql`picked`)}`;
}

/**
 * A common table expression `picked`: keys of the first sales of the campaigns that a condition picks, and what was `paid`
 * for each as amounts of different tokens are compared. It reads no more than a page of each campaign, in the order of
 * that campaign's index.
 * @param owned condition on `campaign`.
 * @param conditions on `sale`, as of `campaign_state.seq`, each with `and` before it.
 */
export function pickedSales(
  sql: Sql,
  at: AsOf,
  { owned, conditions, page }: Record<'owned' | 'conditions', Fragment> & { page: OrderedQuery },
): Fragment {
  const { order, after, limit } = page;
  const direction = isDescending(order) ? sql`desc` : sql`asc`;
  const inCampaign = isByAmount(order)
    ? sql`sale.amount ${direction}, sale.sale_id ${direction}`
    : sql`sale.sale_id ${direction}`;
  return sql`
    picked as materialized (
      select one.campaign_id, one.sale_id, ${isByAmount(order) ? comparableAmount(sql, sql`one`) : sql`0`} as paid
      from ledger.campaign campaign
      cross join lateral ${newestEvent(sql, at, sql`campaign.campaign_id`, sql`seq`)} campaign_state
      cross join lateral (
        select sale.campaign_id, sale.sale_id, sale.amount
        from ledger.sale sale ${joinBeforeChange(sql, sql`campaign_state.seq`)}
        where sale.campaign_id = campaign.campaign_id and sale.block_number <= ${at.number}
          ${conditions} ${after ? sql`and ${isAfter(sql, after, order)}` : sql``}
        order by ${inCampaign} ${limitTo(sql, limit + 1)}
      ) one
      where ${owned}
      order by ${isByAmount(order) ? sql`paid ${direction},` : sql``}
        one.sale_id ${direction}, one.campaign_id ${direction} ${limitTo(sql, limit + 1)}
    )`;
}

/** The order of a list, by columns of a relation. */
export function orderOf(sql: Sql, order: SaleOrder, table: Fragment): Fragment {
  const direction = isDescending(order) ? sql`desc` : sql`asc`;
  return sql`${table}.paid ${direction}, ${table}.sale_id ${direction}, ${table}.campaign_id ${direction}`;
}

function isDescending(order: SaleOrder): boolean {
  return order === 'newest' || order === 'highest';
}

/** Decimals in which amounts of all tokens are compared: no token has more. */
const COMPARED_DECIMALS = 36;

/** Base units of a token with 36 decimals that are as many whole tokens as an amount of `campaign`'s. */
function comparableAmount(sql: Sql, table: Fragment): Fragment {
  return sql`${table}.amount * ${scaleOf(sql)}`;
}

/** 10 to the power of the decimals that the token of `campaign` lacks. */
function scaleOf(sql: Sql): Fragment {
  return sql`('1e' || (${COMPARED_DECIMALS}::int - campaign.token_decimals))::numeric`;
}

/** A condition on a `sale` of `campaign`: it comes after the cursor in the order of the list. */
function isAfter(
  sql: Sql,
  { saleId, campaignId, paid }: OrderedCursor,
  order: SaleOrder,
): Fragment {
  const compare = isDescending(order) ? sql`<` : sql`>`;
  if (!isByAmount(order)) {
    const bound = isDescending(order) ? sql`<=` : sql`>=`;
    return sql`sale.sale_id ${bound} ${saleId}::bigint
      and (sale.sale_id, sale.campaign_id) ${compare} (${saleId}::bigint, ${campaignId}::bigint)`;
  }
  // The cursor's amount in the token of this campaign, rounded down; what was cut off counts as a later sale of that amount.
  const amount = sql`div(${paid}::numeric, ${scaleOf(sql)})`;
  return sql`(sale.amount, sale.sale_id) ${compare} (${amount}, case
    when mod(${paid}::numeric, ${scaleOf(sql)}) = 0 then ${saleId}::bigint
    else 9223372036854775807 end)`;
}

/** Conditions on a `sale` of `campaign`: what was paid is in a range of whole tokens. */
export function paidWithin(sql: Sql, { paidMin, paidMax }: PaidRange): Fragment {
  const units = sql`('1e' || campaign.token_decimals)::numeric`;
  return sql`
    ${paidMin === undefined ? sql`` : sql`and sale.amount >= ${paidMin}::numeric * ${units}`}
    ${paidMax === undefined ? sql`` : sql`and sale.amount <= ${paidMax}::numeric * ${units}`}`;
}

/**
 * A condition on `sale`: its id is one of those of a period. It only bounds what is read, and is exact for a ledger in which
 * later sales have higher ids, as the contract gives them.
 */
function idsOf(sql: Sql, { from, to }: TimeRange): Fragment {
  return sql`sale.sale_id >= (${firstIdSince(sql, from)}) and sale.sale_id < (${firstIdSince(sql, to)})`;
}

/**
 * The lowest id from which on all sales are of a time or later: no index has the sales of all campaigns by time, but times
 * follow the ids, so it is found by halving, one index probe for each step.
 */
function firstIdSince(sql: Sql, time: number): Fragment {
  return sql`
    with recursive half as (
      select 0::bigint as low, coalesce((select max(sale_id) from ledger.sale), 0) + 1 as high
      union all
      select case when probe.earlier then step.middle + 1 else step.low end,
        case when probe.earlier then step.high else step.middle end
      from (select low, high, (low + high) / 2 as middle from half where low < high) step
      cross join lateral (
        select coalesce((
          select sold.block_timestamp < ${time}::bigint from ledger.sale sold
          where sold.sale_id >= step.middle order by sold.sale_id limit 1
        ), false) as earlier
      ) probe
    )
    select max(low) from half`;
}

const paidColumn = rowCodec({ paid: id });

/**
 * The page of rows that were read for it: one more than it has shows that another follows.
 * @param decode reads an item. @param saleOf its sale.
 */
export function orderedPage<T>(
  rows: readonly StoredRow[],
  { limit }: Pick<OrderedQuery, 'limit'>,
  decode: (row: StoredRow) => T,
  saleOf: (item: T) => Pick<SaleView, 'saleId' | 'campaignId'>,
): OrderedPage<T> {
  const page = rows.slice(0, limit);
  const items = page.map(decode);
  const [row, last] = [page.at(-1), items.at(-1)];
  if (rows.length <= limit || row === undefined || last === undefined) return { items, next: null };
  const { saleId, campaignId } = saleOf(last);
  return { items, next: { saleId, campaignId, paid: String(paidColumn.decode(row).paid) } };
}
