import type { Sql } from '../connection.ts';
import { escapeLike } from './campaign-filters.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import { jsonRows } from './one-read.ts';
import { type DayRow, dayKinds, dayOf, dayTables, type PartnerDay } from './partner-days.ts';
import {
  type PartnerRow,
  type PartnerScope,
  type PartnerView,
  partnerKinds,
  partnerOf,
  partnerTables,
} from './partner-rows.ts';
import { planEach, type Snapshot } from './snapshot.ts';

export type PartnerSort = 'sales' | 'value' | 'rewards' | 'firstLink' | 'lastLink';

export interface PartnerFilters {
  /** The beginning of an address, a handle or a name; what is hidden is not found by it. */
  readonly q?: string | undefined;
  /** Whether it has settled a sale. */
  readonly active?: boolean | undefined;
}

/** Where a page of partners ended: the sort's value of its last row, and what tells ties apart. */
export interface PartnerPlace {
  /** Decimal digits, perhaps below zero. */
  readonly key: string;
  /** 64 hex digits, of which nobody can tell the account. */
  readonly tie: string;
}

interface PartnerQuery extends PartnerFilters {
  readonly sort: PartnerSort;
  /** Keys the ties, so that no cursor names an account. */
  readonly secret: string;
  readonly after: PartnerPlace | undefined;
  readonly limit: number;
}

/** Higher first, each. */
const sortKeys = {
  sales: 'direct_settled + network_settled',
  value: 'settled_value',
  rewards: 'at_risk + ready + claimable + claimed',
  firstLink: 'first_link_at',
  lastLink: 'last_link_at',
} as const;

type PlacedRow = PartnerRow & { sort_key: string; tie: string };

export interface PartnerPage<View = PartnerView> {
  readonly items: readonly View[];
  /** `null` where this is the last page. */
  readonly next: PartnerPlace | null;
}

/** A partner, with the time of its newest sale; unix seconds. */
export interface SellingPartnerView extends PartnerView {
  readonly lastSaleAt: number | null;
}

/** A page of the partners of a campaign: one statement. */
export async function listPartners(
  { sql, head }: Snapshot,
  scope: PartnerScope & { readonly campaignId: string },
  query: PartnerQuery,
): Promise<PartnerPage<SellingPartnerView>> {
  const planning = planEach(sql);
  const reading = sql<(PlacedRow & { last_sale_at: string | null })[]>`
    with ${partnerTables(sql, head, scope)}, ${placedTables(sql, query)}
    select page.*, newest.last_sale_at
    from (${pageOf(sql, query)}) page
    left join lateral (
      select sale.block_timestamp as last_sale_at
      from ledger.sale_level level
      join ledger.sale sale on sale.campaign_id = level.campaign_id
        and sale.sale_id = level.sale_id and sale.seq <= (select seq from own)
      where level.recipient = page.account and level.campaign_id = ${scope.campaignId}
      order by level.sale_id desc limit 1
    ) newest on true
    order by page.sort_key desc, page.tie`;
  const [, rows] = await Promise.all([planning, reading]);
  const lastSaleAt = new Map(rows.map((row) => [row.account, toIntegerOrNull(row.last_sale_at)]));
  const { items, next } = pageOfRows(rows, query.limit);
  return {
    items: items.map((one) => ({ ...one, lastSaleAt: lastSaleAt.get(one.account) ?? null })),
    next,
  };
}

/** For a `with`: `judged` says of each partner whether it matches, `placed` orders those that do. */
function placedTables(sql: Sql, query: PartnerQuery) {
  return sql`
    judged as materialized (
      select partner.*, coalesce(${matches(sql, query)}, false) as matches,
        ${sql.unsafe(sortKeys[query.sort])} as sort_key
      from partner
    ), placed as materialized (
      select *, encode(sha256(convert_to(${query.secret} || account, 'UTF8')), 'hex') as tie
      from judged where matches
    )`;
}

function pageOf(sql: Sql, { after, limit }: PartnerQuery) {
  return sql`
    select * from placed
    ${after ? sql`where (-sort_key, tie) > (-(${after.key}::numeric), ${after.tie})` : sql``}
    order by sort_key desc, tie limit ${limit + 1}`;
}

function pageOfRows(rows: readonly PlacedRow[], limit: number): PartnerPage {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(partnerOf),
    next: last ? { key: last.sort_key, tie: last.tie } : null,
  };
}

/** One account; `undefined` where it has no link there. */
export async function getPartner(
  { sql, head }: Snapshot,
  scope: PartnerScope & Required<Pick<PartnerScope, 'account'>>,
): Promise<PartnerView | undefined> {
  const [row] = await sql<PartnerRow[]>`
    with ${partnerTables(sql, head, scope)} select * from partner`;
  return row && partnerOf(row);
}

/** A page of partners, how many the filters match, and every day that had something. */
export interface PartnerReport extends PartnerPage {
  readonly partners: number;
  readonly days: readonly PartnerDay[];
}

/** The page with its totals: one statement, because both are of the same accounts. */
export async function reportPartners(
  { sql, head }: Snapshot,
  scope: PartnerScope,
  query: PartnerQuery,
): Promise<PartnerReport> {
  const [, , [row]] = await Promise.all([
    planEach(sql),
    sql`select set_config('work_mem', ${REPORT_MEMORY}, true)`,
    sql<{ page: PlacedRow[]; partners: string; days: DayRow[] }[]>`
      with ${partnerTables(sql, head, scope)}, ${placedTables(sql, query)},
      ${dayTables(sql)}
      select (select count(*) from placed) as partners,
        ${jsonRows<PlacedRow>(sql, pageOf(sql, query), placedKinds, 'each.sort_key desc, each.tie')}
          as page,
        ${jsonRows<DayRow>(sql, sql`select * from by_day`, dayKinds, 'each.day')} as days`,
  ]);
  return {
    ...pageOfRows(row?.page ?? [], query.limit),
    partners: toInteger(row?.partners ?? '0'),
    days: (row?.days ?? []).map(dayOf),
  };
}

/** Of a sort or a hash table of one statement: else those of a great merchant go over the disk. */
const REPORT_MEMORY = '64MB';

const placedKinds = { ...partnerKinds, sort_key: 'text', tie: 'is' } as const;

/** The filters as a condition on `partner`, perhaps null. */
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
