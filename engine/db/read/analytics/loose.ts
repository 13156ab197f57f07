import { DAY_SECONDS, periodBefore, type Stretch } from '../../../core/analytics.ts';
import type { Sql } from '../../connection.ts';
import { changedStandings, joinPastVersion, laterNodes, stoodColumns } from '../changed.ts';

/**
 * The days that a period, or the one before it, cuts: their sums say too much, so that their sales are
 * read one by one. None where both begin and end at midnight in UTC.
 */
export function cutDays(period: Stretch): number[] {
  const bounds = [periodBefore(period).from, period.from, period.to];
  const cut = bounds.filter((bound) => bound % DAY_SECONDS !== 0);
  return [...new Set(cut.map((bound) => Math.floor(bound / DAY_SECONDS)))];
}

/**
 * The sales that the sums by day are put right with, as a fragment to select from, over `own`: those of
 * the cut days, as they stood at the settled block; and those that a later event recorded or changed.
 * Where settlement is not ahead of the settled block, and no day is cut, there is none.
 */
export function looseSales(sql: Sql, period: Stretch, cut: readonly number[]) {
  const cutList = sql`${[...cut]}::bigint[]`;
  return sql`
    select 1 as sign, own.campaign_id, own.main, own.counts, sale.sale_id, sale.node_id,
      sale.block_timestamp, ${stoodColumns(sql)}
    from own cross join unnest(${cutList}) as cut (day)
    join ledger.sale sale on sale.campaign_id = own.campaign_id and sale.seq <= own.seq
      and sale.block_timestamp >= cut.day * ${DAY_SECONDS}::bigint
      and sale.block_timestamp < (cut.day + 1) * ${DAY_SECONDS}::bigint
      and sale.block_timestamp < ${period.to}::bigint
    ${joinPastVersion(sql)}
    union all
    select * from (${changedStandings(sql, sql`own.main, own.counts`)}) changed
    where changed.block_timestamp < ${period.to}::bigint
      and not changed.block_timestamp / ${DAY_SECONDS}::bigint = any(${cutList})`;
}

/** The same of nodes: those that joined on a cut day, and, to take out, those that joined later. */
export function looseNodes(sql: Sql, period: Stretch, cut: readonly number[]) {
  const cutList = sql`${[...cut]}::bigint[]`;
  return sql`
    select 1 as sign, own.campaign_id, own.main, node.block_timestamp
    from own cross join unnest(${cutList}) as cut (day)
    join ledger.node node on node.campaign_id = own.campaign_id and node.seq <= own.seq
      and node.block_timestamp >= cut.day * ${DAY_SECONDS}::bigint
      and node.block_timestamp < (cut.day + 1) * ${DAY_SECONDS}::bigint
      and node.block_timestamp < ${period.to}::bigint
    union all
    select -1, own.campaign_id, own.main, node.block_timestamp
    from own cross join lateral ${laterNodes(sql)}
    where node.block_timestamp < ${period.to}::bigint
      and not node.block_timestamp / ${DAY_SECONDS}::bigint = any(${cutList})`;
}
