import type { Sql } from '../connection.ts';
import { escapeLike } from './campaign-filters.ts';
import { toInteger } from './ids.ts';
import {
  type PartnerRow,
  type PartnerScope,
  type PartnerView,
  partnerOf,
  partnerTables,
} from './partner-rows.ts';
import type { Snapshot } from './snapshot.ts';

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

/** A page of the partners of a scope: one statement, which reads the scope's sales once. */
export async function listPartners(
  { sql, head }: Snapshot,
  scope: PartnerScope,
  query: PartnerQuery,
): Promise<{ readonly items: PartnerView[]; readonly next: PartnerPlace | null }> {
  const { sort, secret, after, limit } = query;
  const rows = await sql<(PartnerRow & { sort_key: string; tie: string })[]>`
    with ${partnerTables(sql, head, scope)}, placed as (
      select partner.*, ${sql.unsafe(sortKeys[sort])} as sort_key,
        encode(sha256(convert_to(${secret} || account, 'UTF8')), 'hex') as tie
      from partner where ${matches(sql, query)}
    )
    select * from placed
    ${after ? sql`where (-sort_key, tie) > (-(${after.key}::numeric), ${after.tie})` : sql``}
    order by sort_key desc, tie limit ${limit + 1}`;
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

/** How many partners the filters match, and every day that had something: one statement. */
export async function partnerTotals(
  { sql, head }: Snapshot,
  scope: PartnerScope,
  filters: PartnerFilters,
): Promise<{ readonly partners: number; readonly days: readonly PartnerDay[] }> {
  const rows = await sql<
    {
      partners: string;
      day: string;
      pending: string;
      finalized: string;
      refunded: string;
      value: string;
      rewards: string;
      links: string;
    }[]
  >`
    with ${partnerTables(sql, head, scope)},
    matched as materialized (select account from partner where ${matches(sql, filters)}),
    sale as (
      select distinct campaign_id, sale_id, token, state, value, block_timestamp
      from own_sale join matched using (account)
    ), happened as (
      select block_timestamp / 86400 as day, (state = 'pending')::int as pending,
        (state in ('finalized', 'reversed'))::int as finalized,
        (state = 'refunded')::int as refunded,
        case when state = 'finalized' and token = ${scope.token} then value else 0 end as value,
        0 as rewards, 0 as links
      from sale
      union all
      select block_timestamp / 86400, 0, 0, 0, 0, earned, 0
      from own_level join matched using (account)
      where state = 'finalized' and token = ${scope.token}
      union all
      select node.block_timestamp / 86400, 0, 0, 0, 0, 0, 1
      from scope
      join ledger.node node on node.campaign_id = scope.campaign_id and node.seq <= scope.seq
      join matched on matched.account = node.owner
    )
    select (select count(*) from matched) as partners, day, sum(pending) as pending,
      sum(finalized) as finalized, sum(refunded) as refunded, sum(value) as value,
      sum(rewards) as rewards, sum(links) as links
    from happened group by day order by day`;
  return {
    partners: toInteger(rows[0]?.partners ?? '0'),
    days: rows.map((row) => ({
      day: toInteger(row.day),
      sales: {
        pending: toInteger(row.pending),
        finalized: toInteger(row.finalized),
        refunded: toInteger(row.refunded),
      },
      value: BigInt(row.value),
      rewards: BigInt(row.rewards),
      links: toInteger(row.links),
    })),
  };
}

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
