import { DAY_SECONDS, mondayOf, WEEK_SECONDS, weekOf } from '../../../core/analytics.ts';
import type { Fragment } from '../../connection.ts';
import { changedSales } from '../changed.ts';
import { toInteger } from '../ids.ts';
import type { Snapshot } from '../snapshot.ts';
import { cutDays, looseNodes } from './loose.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** The nodes that joined in one week of the period. */
export interface CohortView {
  /** Number of the week (`weekOf`). */
  readonly week: number;
  readonly nodes: number;
  /** Settled sales of the period that they made themselves, by the weeks since; 0 is their own. */
  readonly sales: ReadonlyMap<number, number>;
}

/**
 * One statement; oldest cohort first. It reads sums by day of joining and week of selling, and puts
 * them right by the sales of nodes that joined on a cut day, by those made in the week that the period
 * ends in and after it, and by those that changed after the settled block.
 */
export async function analyticsCohorts(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
): Promise<CohortView[]> {
  const { from, to } = scope.period;
  const cut = cutDays(scope.period);
  const lastWeek = weekOf(to - 1);
  const week = (time: Fragment) =>
    sql`(${time} - ${mondayOf(0)}::bigint) / ${WEEK_SECONDS}::bigint`;
  const midnight = (day: Fragment) => sql`${day} * ${DAY_SECONDS}::bigint`;
  const within = (time: Fragment) => sql`${time} >= ${from}::bigint and ${time} < ${to}::bigint`;
  const whole = (day: Fragment) =>
    sql`${within(midnight(day))} and not ${day} = any(${cut}::bigint[])`;
  const past = sql`
    left join lateral (
      select version.state from ledger.sale_version version
      where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
        and sale.changed_seq > own.seq and version.seq <= own.seq
      order by version.seq desc limit 1
    ) past on true`;
  const stood = sql`coalesce(past.state, sale.state) = 'finalized'`;
  const seller = sql`
    join ledger.node node on node.campaign_id = sale.campaign_id and node.node_id = sale.node_id
      and ${whole(sql`(node.block_timestamp / ${DAY_SECONDS}::bigint)`)}`;
  const cell = sql`
    ${week(sql`node.block_timestamp`)}, ${week(sql`sale.block_timestamp`)}`;
  const rows = await sql<{ week: string; nodes: string; since: string | null; sales: string }[]>`
    with own as materialized (${scopedCampaigns(sql, head, { ...scope, comparedIds: [] })}),
    sizes as (
      select week, sum(nodes) as nodes from (
        select ${week(midnight(sql`sums.day`))} as week, sums.joined as nodes
        from own join ledger.node_day sums
          on sums.campaign_id = own.campaign_id and ${whole(sql`sums.day`)}
        union all
        select ${week(sql`loose.block_timestamp`)}, loose.sign
        from (${looseNodes(sql, scope.period, cut)}) loose
        where loose.block_timestamp >= ${from}::bigint
      ) joined group by week having sum(nodes) > 0
    ), sold as (
      select week, at - week as since, sum(sales) as sales from (
        select ${week(midnight(sql`sums.join_day`))} as week, sums.week as at,
          sums.finalized as sales
        from own join ledger.cohort_week sums
          on sums.campaign_id = own.campaign_id and ${whole(sql`sums.join_day`)}
          and sums.week <= ${lastWeek}::bigint
        union all
        -- Of nodes that joined on a cut day.
        select ${cell}, 1
        from own cross join unnest(${cut}::bigint[]) as cut (day)
        join ledger.node node on node.campaign_id = own.campaign_id and node.seq <= own.seq
          and node.block_timestamp >= ${midnight(sql`cut.day`)}
          and node.block_timestamp < ${midnight(sql`(cut.day + 1)`)}
          and ${within(sql`node.block_timestamp`)}
        join ledger.sale sale on sale.campaign_id = own.campaign_id
          and sale.node_id = node.node_id and sale.block_number <= ${head.number}
          and sale.block_timestamp < ${to}::bigint
        ${past}
        where ${stood}
        union all
        -- In the last week, but after the period: too much in its sums.
        select ${cell}, -1
        from own
        cross join lateral (
          select * from ledger.sale
          where sale.campaign_id = own.campaign_id and sale.block_timestamp >= ${to}::bigint
            and sale.block_timestamp < ${mondayOf(lastWeek + 1)}::bigint
          offset 0
        ) sale
        ${seller} ${past}
        where ${stood} and sale.seq <= own.seq
        union all
        -- Changed since the settled block: what they add now, and what they added then.
        select ${cell}, -1
        from own cross join lateral ${changedSales(sql)}
        ${seller}
        where sale.state = 'finalized'
          and sale.block_timestamp < ${mondayOf(lastWeek + 1)}::bigint
        union all
        select ${cell}, 1
        from own cross join lateral ${changedSales(sql)}
        ${seller} ${past}
        where ${stood} and sale.seq <= own.seq
          and sale.block_timestamp < ${mondayOf(lastWeek + 1)}::bigint
      ) sold (week, at, sales) group by 1, 2 having sum(sales) <> 0
    )
    select sizes.week, sizes.nodes, sold.since, coalesce(sold.sales, 0) as sales
    from sizes left join sold on sold.week = sizes.week
    order by sizes.week`;
  const cohorts = new Map<number, CohortView & { sales: Map<number, number> }>();
  for (const row of rows) {
    const key = toInteger(row.week);
    const cohort = cohorts.get(key) ?? { week: key, nodes: toInteger(row.nodes), sales: new Map() };
    if (row.since !== null) cohort.sales.set(toInteger(row.since), toInteger(row.sales));
    cohorts.set(key, cohort);
  }
  return [...cohorts.values()];
}
