import type { Sql } from '../../connection.ts';
import { toInteger } from '../../ids.ts';
import { planForParameters, sortInMemory } from '../../planner.ts';
import { id, nullable, rowCodec, type StoredRow, seconds, text, type View } from '../../row.ts';
import { escapeLike } from '../campaigns/filters.ts';
import { jsonRows } from '../one-read.ts';
import type { Snapshot } from '../snapshot.ts';
import { dayTables, type PartnerDay, partnerDay } from './days.ts';
import { type PartnerScope, type PartnerView, partnerRow, partnerTables } from './rows.ts';

/** Sort order of a list of partners, highest first. */
export type PartnerSort = 'sales' | 'value' | 'rewards' | 'firstLink' | 'lastLink';

/** Filters of a list of partners; one that is left out does not filter. */
export interface PartnerFilters {
  /** The beginning of an address, a handle or a name; hidden profiles are not found. */
  readonly q?: string | undefined;
  /** True for partners with a settled sale, false for those without. */
  readonly active?: boolean | undefined;
}

const cursorRow = rowCodec({
  /** The value that the last row is sorted by: decimal digits, possibly negative. */
  key: id.from('sort_key'),
  /** Orders rows with equal keys: 64 hex digits that do not reveal the account. */
  tie: text,
});

/** Cursor of a page of partners: its last partner. */
export type PartnerCursor = View<typeof cursorRow>;

interface PartnerQuery extends PartnerFilters {
  readonly sort: PartnerSort;
  /** Secret of the ties, so that no cursor reveals an account. */
  readonly secret: string;
  readonly after: PartnerCursor | undefined;
  readonly limit: number;
}

/** The expression that each sort orders by, higher first. */
const sortKeys = {
  sales: 'direct_settled + network_settled',
  value: 'settled_value',
  rewards: 'at_risk + ready + claimable + claimed',
  firstLink: 'first_link_at',
  lastLink: 'last_link_at',
} as const;

/** A page of partners. */
export interface PartnerPage<T = PartnerView> {
  readonly items: readonly T[];
  /** `null` on the last page. */
  readonly next: PartnerCursor | null;
}

/** Row codec of `SellingPartnerView`. */
export const sellingPartnerRow = rowCodec({ ...partnerRow.fields, lastSaleAt: nullable(seconds) });

/** A partner of one campaign, with the time of its newest sale there. */
export type SellingPartnerView = View<typeof sellingPartnerRow>;

const orderedRow = rowCodec({ ...partnerRow.fields, ...cursorRow.fields });

/** A page of the partners of a campaign: one statement. */
export async function listPartners(
  { sql, head }: Snapshot,
  scope: PartnerScope & { readonly campaignId: string },
  query: PartnerQuery,
): Promise<PartnerPage<SellingPartnerView>> {
  const planning = planForParameters(sql);
  const reading = sql<StoredRow[]>`
    with ${partnerTables(sql, head, scope)}, ${orderedTables(sql, query)}
    select page.*, newest.last_sale_at
    from (${pageOf(sql, query)}) page
    left join lateral (
      select sale.block_timestamp as last_sale_at
      from ledger.sale_level level
      join ledger.sale sale on sale.campaign_id = level.campaign_id
        and sale.sale_id = level.sale_id and sale.seq <= (select seq from as_of)
      where level.recipient = page.account and level.campaign_id = ${scope.campaignId}
      order by level.sale_id desc limit 1
    ) newest on true
    order by page.sort_key desc, page.tie`;
  const [, rows] = await Promise.all([planning, reading]);
  return pageOfRows(rows, query.limit, sellingPartnerRow.decode);
}

/** For a `with`: `matched` has all partners with the flag `matches`, `ordered` those that match in order. */
function orderedTables(sql: Sql, query: PartnerQuery) {
  return sql`
    matched as materialized (
      select partner.*, coalesce(${matches(sql, query)}, false) as matches,
        ${sql.unsafe(sortKeys[query.sort])} as sort_key
      from partner
    ), ordered as materialized (
      select *, encode(sha256(convert_to(${query.secret} || account, 'UTF8')), 'hex') as tie
      from matched where matches
    )`;
}

function pageOf(sql: Sql, { after, limit }: PartnerQuery) {
  return sql`
    select * from ordered
    ${after ? sql`where (-sort_key, tie) > (-(${after.key}::numeric), ${after.tie})` : sql``}
    order by sort_key desc, tie limit ${limit + 1}`;
}

function pageOfRows<T>(
  rows: readonly StoredRow[],
  limit: number,
  decode: (row: StoredRow) => T,
): PartnerPage<T> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(decode), next: last ? cursorRow.decode(last) : null };
}

/** A partner of a merchant; `undefined` if the account has no link in the scope. */
export async function getPartner(
  { sql, head }: Snapshot,
  scope: PartnerScope & Required<Pick<PartnerScope, 'account'>>,
): Promise<PartnerView | undefined> {
  const [row] = await sql<StoredRow[]>`
    with ${partnerTables(sql, head, scope)} select * from partner`;
  return row && partnerRow.decode(row);
}

/** A page of partners, how many the filters match, and each day on which something happened. */
export interface PartnerReport extends PartnerPage {
  readonly partners: number;
  readonly days: readonly PartnerDay[];
}

/** A page of partners with its totals: one statement, because both are about the same accounts. */
export async function reportPartners(
  { sql, head }: Snapshot,
  scope: PartnerScope,
  query: PartnerQuery,
): Promise<PartnerReport> {
  const [, , [row]] = await Promise.all([
    planForParameters(sql),
    sortInMemory(sql, REPORT_MEMORY),
    sql<{ page: StoredRow[]; partners: string; days: StoredRow[] }[]>`
      with ${partnerTables(sql, head, scope)}, ${orderedTables(sql, query)},
      ${dayTables(sql)}
      select (select count(*) from ordered) as partners,
        ${jsonRows(sql, pageOf(sql, query), orderedRow, 'each.sort_key desc, each.tie')}
          as page,
        ${jsonRows(sql, sql`select * from by_day`, partnerDay, 'each.day')} as days`,
  ]);
  return {
    ...pageOfRows(row?.page ?? [], query.limit, partnerRow.decode),
    partners: toInteger(row?.partners ?? '0'),
    days: (row?.days ?? []).map(partnerDay.decode),
  };
}

/** Memory for each sort and hash table of the report: with less, those of a large merchant use the disk. */
const REPORT_MEMORY = '64MB';

/** The filters as a condition on `partner`, which can be null. */
function matches(sql: Sql, { q, active }: PartnerFilters) {
  const settled = sql`partner.direct_settled + partner.network_settled > 0`;
  return sql`true
    ${active === undefined ? sql`` : active ? sql`and ${settled}` : sql`and not (${settled})`}
    ${q === undefined || q === '' ? sql`` : sql`and ${named(sql, q)}`}`;
}

function named(sql: Sql, q: string) {
  const beginning = `${escapeLike(q.toLowerCase())}%`;
  return sql`coalesce(partner.visibility, 'public') = 'public' and (
    partner.account like ${beginning} or partner.handle like ${beginning}
    or lower(partner.display_name) like ${beginning}
  )`;
}
