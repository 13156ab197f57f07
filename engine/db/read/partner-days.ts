import type { Sql } from '../connection.ts';
import { joinPastVersion, laterNodes, stoodColumns } from './changed.ts';
import { toInteger } from './ids.ts';

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

export interface DayRow {
  day: string;
  pending: string;
  finalized: string;
  refunded: string;
  value: string;
  rewards: string;
  links: string;
}

/** How each goes into JSON (`jsonRows`). */
export const dayKinds = {
  day: 'text',
  pending: 'text',
  finalized: 'text',
  refunded: 'text',
  value: 'text',
  rewards: 'text',
  links: 'text',
} as const;

export function dayOf(row: DayRow): PartnerDay {
  return {
    day: toInteger(row.day),
    sales: {
      pending: toInteger(row.pending),
      finalized: toInteger(row.finalized),
      refunded: toInteger(row.refunded),
    },
    value: BigInt(row.value),
    rewards: BigInt(row.rewards),
    links: toInteger(row.links),
  };
}

/**
 * For a `with`, after `partnerTables` and `judged`: `by_day` has a row for each day that had something,
 * with each sale once, whoever has a level of it.
 *
 * A sale belongs to several accounts, so that sums by account do not say it. There are two ways, and
 * the one is taken whose accounts have fewer sales, which the sums by account do say: the sales of the
 * accounts that match are read; or, from the sums by day of all sales of nodes, those are taken out
 * of which only accounts that do not match have a level. Likewise with nodes. Without filters every
 * account matches, and nothing is read but the sums by day.
 */
export function dayTables(sql: Sql) {
  return sql`
    ${sideTables(sql)}, happened as (
      ${allSales(sql)}
      union all
      select day, sign * (is_theirs and state = 'pending')::int,
        sign * (is_theirs and state in ('finalized', 'reversed'))::int,
        sign * (is_theirs and state = 'refunded')::int,
        case when is_theirs and state = 'finalized' and counts then sign * left_over else 0 end,
        case when state = 'finalized' and counts then sign * vested else 0 end, 0
      from side_sale
      union all
      ${allNodes(sql)}
      union all
      ${sideNodes(sql)}
    ), by_day as (
      select day, sum(pending) as pending, sum(finalized) as finalized,
        sum(refunded) as refunded, sum(value) as value, sum(rewards) as rewards,
        sum(links) as links
      from happened group by day
      having sum(pending) <> 0 or sum(finalized) <> 0 or sum(refunded) <> 0 or sum(links) <> 0
    )`;
}

/**
 * `choice` says whether the sales, and the nodes, of the accounts that match are read, or those of the
 * others. `side_sale` has each sale of that side once, with what its levels of that side vested;
 * `is_theirs` where the sale is to be counted. The planner can not know how many there are, so that
 * each is looked up by its key, and nothing of them is joined with anything else of them.
 */
function sideTables(sql: Sql) {
  return sql`
    each_account as materialized (
      select by_campaign.campaign_id, by_campaign.account, by_campaign.links,
        by_campaign.direct + by_campaign.network as sales, coalesce(judged.matches, false) as matches
      from by_campaign left join judged on judged.account = by_campaign.account
    ), choice as materialized (
      select coalesce(sum(sales) filter (where matches), 0)
          < coalesce(sum(sales) filter (where not matches), 0) as sales_match,
        coalesce(sum(links) filter (where matches), 0)
          < coalesce(sum(links) filter (where not matches), 0) as links_match
      from each_account
    ), side_id as materialized (
      select distinct level.campaign_id, level.sale_id
      from choice
      join each_account on each_account.matches = choice.sales_match and each_account.sales > 0
      cross join lateral (
        select campaign_id, sale_id from ledger.sale_level
        where sale_level.recipient = each_account.account
          and sale_level.campaign_id = each_account.campaign_id
        offset 0
      ) level
    ), side_level as materialized (
      select side_id.campaign_id, side_id.sale_id, bool_or(each_account.matches) as matches,
        sum(level.vested) filter (where each_account.matches = choice.sales_match) as vested
      from choice
      cross join side_id
      cross join lateral (
        select campaign_id, recipient, vested from ledger.sale_level
        where sale_level.campaign_id = side_id.campaign_id
          and sale_level.sale_id = side_id.sale_id
        offset 0
      ) level
      join each_account on each_account.campaign_id = level.campaign_id
        and each_account.account = level.recipient
      group by side_id.campaign_id, side_id.sale_id
    ), side_sale as materialized (
      select case when choice.sales_match then 1 else -1 end as sign, own.counts,
        sale.block_timestamp / 86400 as day, ${stoodColumns(sql)}, side_level.vested,
        choice.sales_match or not side_level.matches as is_theirs
      from choice
      cross join side_level
      join own on own.campaign_id = side_level.campaign_id
      cross join lateral (
        select * from ledger.sale
        where sale.campaign_id = side_level.campaign_id and sale.sale_id = side_level.sale_id
        offset 0
      ) sale
      ${joinPastVersion(sql)}
      where sale.seq <= own.seq and sale.node_id is not null
    )`;
}

/** All sales of nodes, by day, where those that do not match are taken out. */
function allSales(sql: Sql) {
  return sql`
    select sums.day, sums.pending, sums.finalized + sums.reversed as finalized, sums.refunded,
      case when own.counts then sums.value else 0 end as value,
      case when own.counts then sums.rewards else 0 end as rewards, 0 as links
    from choice cross join own
    join ledger.sale_day sums on sums.campaign_id = own.campaign_id and sums.linked
    where not choice.sales_match
    union all
    select block_timestamp / 86400, sign * (state = 'pending')::int,
      sign * (state in ('finalized', 'reversed'))::int, sign * (state = 'refunded')::int,
      case when state = 'finalized' and counts then sign * left_over else 0 end,
      case when state = 'finalized' and counts then sign * (
        -- A finalized sale vests no more: what its levels hold now is what they held then.
        select coalesce(sum(level.vested), 0) from ledger.sale_level level
        where level.campaign_id = changed.campaign_id and level.sale_id = changed.sale_id
      ) else 0 end, 0
    from choice cross join changed
    where not choice.sales_match and changed.node_id is not null`;
}

/** The same of nodes. */
function allNodes(sql: Sql) {
  return sql`
    select sums.day, 0, 0, 0, 0, 0, sums.joined
    from choice cross join own
    join ledger.node_day sums on sums.campaign_id = own.campaign_id
    where not choice.links_match
    union all
    select node.block_timestamp / 86400, 0, 0, 0, 0, 0, -1
    from choice cross join own
    cross join lateral ${laterNodes(sql)}
    where not choice.links_match`;
}

/** The nodes of the accounts that match, or, to take out, of the others. */
function sideNodes(sql: Sql) {
  return sql`
    select node.block_timestamp / 86400, 0, 0, 0, 0, 0,
      case when choice.links_match then 1 else -1 end
    from choice
    join each_account on each_account.matches = choice.links_match and each_account.links > 0
    join own on own.campaign_id = each_account.campaign_id
    cross join lateral (
      select node.block_timestamp, node.seq from ledger.node
      where node.owner = each_account.account and node.campaign_id = each_account.campaign_id
      offset 0
    ) node
    where node.seq <= own.seq`;
}
