import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { hexText } from '../../hex.ts';
import { toInteger } from '../../ids.ts';
import { planForParameters, planOnce, sortInMemory } from '../../planner.ts';
import { id, nullable, rowCodec, type StoredRow, seconds, text, type View } from '../../row.ts';
import { escapeLike } from '../campaigns/filters.ts';
import { jsonRows } from '../one-read.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';
import { dayTables, type PartnerDay, partnerDay } from './days.ts';
import {
  accountsIn,
  correctionTables,
  type PartnerScope,
  type PartnerView,
  partnerRow,
  partnerTables,
} from './rows.ts';
import { type PartnerSort, sortKeyTable } from './sort-keys.ts';
import { storedKeyOf, storedTables } from './totals.ts';

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
    with ${pageTables(sql, head, scope, query)}
    select page.*, newest.last_sale_at
    from (${pageOf(sql)}) page
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

/**
 * For a `with`: `page` has the accounts of the page and one more with their sort keys, `partner` their rows, and
 * `counted` how many partners the filters match. Whole rows are computed for the page alone; and ties, which no
 * index can have because the secret can change, for the page and accounts with the same key as its first or last.
 */
function pageTables(sql: Sql, head: ReadHead, scope: PartnerScope, query: PartnerQuery) {
  const { limit, sort, secret } = query;
  const stored = storedKeyOf(scope, { sort, isFiltered: isFiltered(query) });
  const candidates =
    stored === undefined
      ? computedTables(sql, query)
      : storedTables(sql, scope, {
          ...{ sort, stored, rows: limit + 1, from: query.after?.key },
          following: following(sql, query, sql`stored.${sql(stored.key)}`),
        });
  return sql`
    ${correctionTables(sql, head, scope)}, ${candidates},
    page as materialized (
      select account, sort_key, ${tieOf(sql, secret)} as tie from (
        select account, sort_key from candidate
        where true ${following(sql, query, sql`sort_key`)}
        order by sort_key desc fetch first ${sql.unsafe(String(limit + 1))} rows with ties
      ) nearest
      order by sort_key desc, tie limit ${limit + 1}
    ),
    ${partnerTables(sql, head, accountsIn(sql, 'page'))}`;
}

/** `candidate` has all accounts that the filters match with their sort keys, and `counted` their number. */
function computedTables(sql: Sql, query: PartnerQuery) {
  const profiles = query.q
    ? sql`left join commerce.distributor profile on profile.address = ${hexText(sql, sql`keys.account`)}`
    : sql``;
  return sql`
    ${sortKeyTable(sql, query.sort)}, candidate as materialized (
      select keys.account, keys.sort_key from sort_key_of keys ${profiles}
      where ${matches(sql, query)}
    ), counted as (select count(*) as partners from candidate)`;
}

function tieOf(sql: Sql, secret: string) {
  return sql`encode(sha256(convert_to(${secret} || ${hexText(sql, sql`account`)}, 'UTF8')), 'hex')`;
}

/** The condition that a row follows the cursor, to begin with `and`. */
function following(sql: Sql, { after, secret }: PartnerQuery, key: Fragment) {
  if (after === undefined) return sql``;
  return sql`and case when ${key} = ${after.key}::numeric then ${tieOf(sql, secret)} > ${after.tie}
    else ${key} < ${after.key}::numeric end`;
}

/** Rows of a page, in no order. */
function pageOf(sql: Sql) {
  return sql`
    select partner.*, page.sort_key, page.tie from page join partner on partner.account = page.account`;
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
  { account, ...scope }: PartnerScope & { readonly account: Address },
): Promise<PartnerView | undefined> {
  const [row] = await sql<StoredRow[]>`
    with ${correctionTables(sql, head, scope, account)}, ${partnerTables(sql, head, account)}
    select * from partner`;
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
  const isStored = storedKeyOf(scope, { ...query, isFiltered: isFiltered(query) }) !== undefined;
  const [, , [row]] = await Promise.all([
    // The stored totals make every part of the statement short, whatever its parameters.
    isStored ? planOnce(sql) : planForParameters(sql),
    sortInMemory(sql, REPORT_MEMORY),
    sql<{ page: StoredRow[]; partners: string; days: StoredRow[] }[]>`
      with ${pageTables(sql, head, scope, query)}, ${dayTables(sql, isFiltered(query))}
      select (select partners from counted) as partners,
        ${jsonRows(sql, pageOf(sql), orderedRow, 'each.sort_key desc, each.tie')}
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

function isFiltered({ q, active }: PartnerFilters): boolean {
  return active !== undefined || (q !== undefined && q !== '');
}

/** The filters as a condition on `keys` and, with `q`, on `profile`. */
function matches(sql: Sql, { q, active }: PartnerFilters) {
  const settled = sql`keys.settled > 0`;
  return sql`true
    ${active === undefined ? sql`` : active ? sql`and ${settled}` : sql`and not (${settled})`}
    ${q === undefined || q === '' ? sql`` : sql`and ${named(sql, q)}`}`;
}

function named(sql: Sql, q: string) {
  const beginning = `${escapeLike(q.toLowerCase())}%`;
  return sql`coalesce(profile.visibility, 'public') = 'public' and (
    ${hexText(sql, sql`keys.account`)} like ${beginning} or profile.handle like ${beginning}
    or lower(profile.display_name) like ${beginning}
  )`;
}
