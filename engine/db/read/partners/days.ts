import { DAY_SECONDS } from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { fence } from '../../planner.ts';
import { amount, integer, rowCodec, type View } from '../../row.ts';
import { joinSaleAsOf, laterNodes, saleAsOf } from '../corrections.ts';

/** Row codec of `PartnerDay`. */
export const partnerDay = rowCodec({
  /** Days since 1970, UTC. */
  day: integer,
  /** Finalized sales include reversed ones. */
  sales: { pending: integer, finalized: integer, refunded: integer },
  /** Value of the settled sales, base units of the token. */
  value: amount,
  /** Rewards of the settled sales, base units of the token. */
  rewards: amount,
  /** Nodes that joined. */
  links: integer,
});

/** Totals of the sales recorded on one day, of all partners that the filters match. */
export type PartnerDay = View<typeof partnerDay>;

/**
 * For a `with`, after `correctionTables` and `candidate`, which has the
 * accounts that match: `by_day` has a row for each day on which something
 * happened, with each sale once, however many partners have a level of it.
 *
 * A sale belongs to several accounts, so that it does not follow from totals by account. There are two ways
 * to compute it: add up the sales of the accounts that match; or take the totals by day of all sales of
 * nodes, and subtract the sales of which only accounts that do not match have a level. The statement chooses
 * the way whose accounts have fewer sales, which the totals by account say; and does the same for nodes.
 * Without filters every account matches, and only the totals by day are read.
 */
export function dayTables(sql: Sql, isFiltered: boolean) {
  if (!isFiltered) return byDay(sql, sql`${allSales(sql)} union all ${allNodes(sql)}`);
  const totals = sql`
    select * from (${allSales(sql)}) sale where not (select sales_match from choice)
    union all
    select * from (${allNodes(sql)}) node where not (select links_match from choice)`;
  const side = sql`
    select day, sign * (is_theirs and state = 'pending')::int,
      sign * (is_theirs and state in ('finalized', 'reversed'))::int,
      sign * (is_theirs and state = 'refunded')::int,
      case when is_theirs and state = 'finalized' and counts then sign * remaining else 0 end,
      case when state = 'finalized' and counts then sign * vested else 0 end, 0
    from side_sale
    union all
    ${sideNodes(sql)}`;
  return sql`${sideTables(sql)}, ${byDay(sql, sql`${totals} union all ${side}`)}`;
}

function byDay(sql: Sql, happened: Fragment) {
  return sql`
    by_day as (
      select day, sum(pending) as pending, sum(finalized) as finalized,
        sum(refunded) as refunded, sum(value) as value, sum(rewards) as rewards,
        sum(links) as links
      from (${happened}) happened group by day
      having sum(pending) <> 0 or sum(finalized) <> 0 or sum(refunded) <> 0 or sum(links) <> 0
    )`;
}

/**
 * `choice` says whether the sales, and the nodes, of the accounts that match are read, or those of the
 * others. `side_sale` has each sale of the chosen side once, with what its levels of that side vested, and
 * `is_theirs` if the sale counts. The accounts are those of the newest totals, which include later sales and
 * nodes, so that those are left out again at the end. The planner cannot know how many there are, so each is found by its key,
 * and their tables are not joined with each other.
 */
function sideTables(sql: Sql) {
  return sql`
    each_account as materialized (
      select sums.campaign_id, sums.account, sums.links, sums.direct + sums.network as sales,
        candidate.account is not null as matches
      from as_of
      join ledger.account_sum sums on sums.campaign_id = as_of.campaign_id
      left join candidate on candidate.account = sums.account
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
        ${fence(sql)}
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
        ${fence(sql)}
      ) level
      join each_account on each_account.campaign_id = level.campaign_id
        and each_account.account = level.recipient
      group by side_id.campaign_id, side_id.sale_id
    ), side_sale as materialized (
      select case when choice.sales_match then 1 else -1 end as sign, as_of.counts,
        sale.block_timestamp / ${DAY_SECONDS}::bigint as day, ${saleAsOf(sql)}, side_level.vested,
        choice.sales_match or not side_level.matches as is_theirs
      from choice
      cross join side_level
      join as_of on as_of.campaign_id = side_level.campaign_id
      cross join lateral (
        select * from ledger.sale
        where sale.campaign_id = side_level.campaign_id and sale.sale_id = side_level.sale_id
        ${fence(sql)}
      ) sale
      ${joinSaleAsOf(sql)}
      where sale.seq <= as_of.seq and sale.node_id is not null
    )`;
}

/** All sales of nodes by day, from which those that do not match are subtracted. */
function allSales(sql: Sql) {
  return sql`
    select sums.day, sums.pending, sums.finalized + sums.reversed as finalized, sums.refunded,
      case when as_of.counts then sums.value else 0 end as value,
      case when as_of.counts then sums.rewards else 0 end as rewards, 0 as links
    from as_of
    join ledger.sale_day sums on sums.campaign_id = as_of.campaign_id and sums.linked
    union all
    select block_timestamp / ${DAY_SECONDS}::bigint, sign * (state = 'pending')::int,
      sign * (state in ('finalized', 'reversed'))::int, sign * (state = 'refunded')::int,
      case when state = 'finalized' and counts then sign * remaining else 0 end,
      case when state = 'finalized' and counts then sign * (
        -- A finalized sale does not vest again: its levels have the same rewards now as then.
        select coalesce(sum(level.vested), 0) from ledger.sale_level level
        where level.campaign_id = correction.campaign_id and level.sale_id = correction.sale_id
      ) else 0 end, 0
    from correction where correction.node_id is not null`;
}

/** All nodes by the day of joining, from which those that do not match are subtracted. */
function allNodes(sql: Sql) {
  return sql`
    select sums.day, 0, 0, 0, 0, 0, sums.joined
    from as_of
    join ledger.node_day sums on sums.campaign_id = as_of.campaign_id
    union all
    select node.block_timestamp / ${DAY_SECONDS}::bigint, 0, 0, 0, 0, 0, -1
    from as_of cross join lateral ${laterNodes(sql)}`;
}

/** The nodes of the accounts that match; or of the others, to subtract. */
function sideNodes(sql: Sql) {
  return sql`
    select node.block_timestamp / ${DAY_SECONDS}::bigint, 0, 0, 0, 0, 0,
      case when choice.links_match then 1 else -1 end
    from choice
    join each_account on each_account.matches = choice.links_match and each_account.links > 0
    join as_of on as_of.campaign_id = each_account.campaign_id
    cross join lateral (
      select node.block_timestamp, node.seq from ledger.node
      where node.owner = each_account.account and node.campaign_id = each_account.campaign_id
      ${fence(sql)}
    ) node
    where node.seq <= as_of.seq`;
}
