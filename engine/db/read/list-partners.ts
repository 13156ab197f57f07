import type { Sql } from '../connection.ts';
import { escapeLike } from './campaign-filters.ts';
import { toInteger } from './ids.ts';
import { jsonRows } from './one-read.ts';
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

export interface PartnerPage {
  readonly items: readonly PartnerView[];
  /** `null` where this is the last page. */
  readonly next: PartnerPlace | null;
}

/** A page of the partners of a scope: one statement, which reads the scope's sales once. */
export async function listPartners(
  { sql, head }: Snapshot,
  scope: PartnerScope,
  query: PartnerQuery,
): Promise<PartnerPage> {
  const rows = await sql<PlacedRow[]>`
    with ${partnerTables(sql, head, scope)}, placed as (${placed(sql, query)})
    ${pageOf(sql, query)}`;
  return pageOfRows(rows, query.limit);
}

function placed(sql: Sql, query: PartnerQuery) {
  return sql`
    select partner.*, ${sql.unsafe(sortKeys[query.sort])} as sort_key,
      encode(sha256(convert_to(${query.secret} || account, 'UTF8')), 'hex') as tie
    from partner where ${matches(sql, query)}`;
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

/** What happened on a day to the sales, recorded on it, of all partners that filters match. */
export interface PartnerDay {
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly sales: {
    readonly pending: number;
    /** Reversed ones included. */
    readonly finalized: number;
    readonly refunded: number;
  };
  /** Of the settled ones, base units of the token. */
  readonly value: bigint;
  readonly rewards: bigint;
  /** Nodes that joined. */
  readonly links: number;
}

/** A page of partners, how many the filters match, and every day that had something. */
export interface PartnerReport extends PartnerPage {
  readonly partners: number;
  readonly days: readonly PartnerDay[];
}

interface DayRow {
  day: string;
  pending: string;
  finalized: string;
  refunded: string;
  value: string;
  rewards: string;
  links: string;
}

/**
 * The page with its totals: one statement, because each reads every sale of the scope, and what it
 * sorts and groups is kept in memory.
 */
export async function reportPartners(
  { sql, head }: Snapshot,
  scope: PartnerScope,
  query: PartnerQuery,
): Promise<PartnerReport> {
  const [, , [row]] = await Promise.all([
    planEach(sql),
    sql`select set_config('work_mem', ${REPORT_MEMORY}, true)`,
    sql<{ page: PlacedRow[]; partners: string; days: DayRow[] }[]>`
      with ${partnerTables(sql, head, scope)}, placed as materialized (${placed(sql, query)}),
      sale as (
        select distinct campaign_id, sale_id, token, state, value, block_timestamp
        from own_sale join placed using (account)
      ), happened as (
        select block_timestamp / 86400 as day, (state = 'pending')::int as pending,
          (state in ('finalized', 'reversed'))::int as finalized,
          (state = 'refunded')::int as refunded,
          case when state = 'finalized' and token = ${scope.token} then value else 0 end as value,
          0 as rewards, 0 as links
        from sale
        union all
        select block_timestamp / 86400, 0, 0, 0, 0, earned, 0
        from own_level join placed using (account)
        where state = 'finalized' and token = ${scope.token}
        union all
        select node.block_timestamp / 86400, 0, 0, 0, 0, 0, 1
        from scope
        join ledger.node node on node.campaign_id = scope.campaign_id and node.seq <= scope.seq
        join placed on placed.account = node.owner
      ), by_day as (
        select day, sum(pending) as pending, sum(finalized) as finalized,
          sum(refunded) as refunded, sum(value) as value, sum(rewards) as rewards,
          sum(links) as links
        from happened group by day
      )
      select (select count(*) from placed) as partners,
        ${jsonRows<PlacedRow>(sql, pageOf(sql, query), placedKinds, 'each.sort_key desc, each.tie')}
          as page,
        ${jsonRows<DayRow>(sql, sql`select * from by_day`, dayKinds, 'each.day')} as days`,
  ]);
  return {
    ...pageOfRows(row?.page ?? [], query.limit),
    partners: toInteger(row?.partners ?? '0'),
    days: (row?.days ?? []).map((day) => ({
      day: toInteger(day.day),
      sales: {
        pending: toInteger(day.pending),
        finalized: toInteger(day.finalized),
        refunded: toInteger(day.refunded),
      },
      value: BigInt(day.value),
      rewards: BigInt(day.rewards),
      links: toInteger(day.links),
    })),
  };
}

/** Of a sort or a hash table of one statement: else those of a great merchant go over the disk. */
const REPORT_MEMORY = '64MB';

const dayKinds = {
  day: 'text',
  pending: 'text',
  finalized: 'text',
  refunded: 'text',
  value: 'text',
  rewards: 'text',
  links: 'text',
} as const;

const placedKinds = { ...partnerKinds, sort_key: 'text', tie: 'is' } as const;

/** The filters as a condition on `partner`. */
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
