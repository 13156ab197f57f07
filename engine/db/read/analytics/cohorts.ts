import {
  DAY_SECONDS,
  mondayOf,
  type TimeRange,
  WEEK_SECONDS,
  weekOf,
} from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { fence } from '../../planner.ts';
import { integer, nullable, rowCodec, type StoredRow } from '../../row.ts';
import { saleState } from '../as-of/sale.ts';
import { changedSales, joinSaleAsOf } from '../corrections.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';
import { type Delta, deltaNodes, isWholeDay, unionAll } from './delta.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** The nodes that joined in one week of the period. */
export interface CohortView {
  /** Number of the week (`weekOf`). */
  readonly week: number;
  readonly nodes: number;
  /** Settled sales of the period that they made themselves, by weeks since joining; 0 is the same week. */
  readonly sales: ReadonlyMap<number, number>;
}

const cohortWeek = rowCodec({
  week: integer,
  nodes: integer,
  since: nullable(integer),
  sales: integer,
});

/**
 * The cohorts of a period, oldest first: one statement. It reads totals by day of joining and week of
 * selling and corrects them by individual sales: those of nodes that joined on a partial day, those made
 * after the period in the week in which it ends, and those that changed after the settled block.
 */
export async function analyticsCohorts(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
  delta: Delta,
): Promise<CohortView[]> {
  const { period } = scope;
  const first = sql`${Math.ceil(period.from / DAY_SECONDS)}::bigint`;
  const whole = (day: Fragment) =>
    sql`${day} >= ${first} and ${isWholeDay(sql, day, period, delta)}`;
  const deltaJoins = deltaNodes(sql, period, delta);
  const joined = unionAll(
    sql,
    sql`
      select ${weekOfDay(sql, sql`sums.day`)} as week, sums.joined as nodes
      from as_of join ledger.node_day sums
        on sums.campaign_id = as_of.campaign_id and ${whole(sql`sums.day`)}`,
    deltaJoins &&
      sql`
        select ${weekAt(sql, sql`delta.block_timestamp`)}, delta.sign from (${deltaJoins}) delta
        where delta.block_timestamp >= ${period.from}::bigint`,
  );
  const sold = unionAll(
    sql,
    sql`
      select ${weekOfDay(sql, sql`sums.join_day`)} as week, sums.week as at,
        sums.finalized as sales
      from as_of join ledger.cohort_week sums
        on sums.campaign_id = as_of.campaign_id and ${whole(sql`sums.join_day`)}
        and sums.week <= ${weekOf(period.to - 1)}::bigint`,
    ...deltaCells(sql, head, period, delta),
  );
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${scopedCampaigns(sql, head, { ...scope, comparedIds: [] })}),
    sizes as (
      select week, sum(nodes) as nodes from (${joined}) joined group by week having sum(nodes) > 0
    ), sold as (
      select week, at - week as since, sum(sales) as sales from (${sold}) sold
      group by 1, 2 having sum(sales) <> 0
    )
    select sizes.week, sizes.nodes, sold.since, coalesce(sold.sales, 0) as sales
    from sizes left join sold on sold.week = sizes.week
    order by sizes.week`;
  return cohortsOf(rows);
}

/** Number of the week that contains a time, as `weekOf` counts. */
function weekAt(sql: Sql, time: Fragment) {
  return sql`(${time} - ${mondayOf(0)}::bigint) / ${WEEK_SECONDS}::bigint`;
}

/** Number of the week that contains a day, as `weekOf` counts. */
function weekOfDay(sql: Sql, day: Fragment) {
  return sql`(${day} - ${mondayOf(0) / DAY_SECONDS}::bigint) / ${WEEK_SECONDS / DAY_SECONDS}::bigint`;
}

/** Corrections of the totals, one per sale: week of joining, week of the sale, and 1 or -1. */
function deltaCells(sql: Sql, head: ReadHead, period: TimeRange, delta: Delta) {
  const { from, to } = period;
  const { partialDays, ahead } = delta;
  const end = mondayOf(weekOf(to - 1) + 1);
  const joinDay = sql`(node.block_timestamp / ${DAY_SECONDS}::bigint)`;
  const before = joinSaleAsOf(sql);
  const wasFinalized = sql`${saleState(sql)} = 'finalized'`;
  const seller = sql`
    join ledger.node node on node.campaign_id = sale.campaign_id and node.node_id = sale.node_id
      and ${joinDay} >= ${Math.ceil(from / DAY_SECONDS)}::bigint
      and ${isWholeDay(sql, joinDay, period, delta)}`;
  const cell = sql`
    ${weekAt(sql, sql`node.block_timestamp`)}, ${weekAt(sql, sql`sale.block_timestamp`)}`;
  const onPartialDays = sql`
    select ${cell}, 1
    from as_of cross join unnest(${[...partialDays]}::bigint[]) as partial_day (day)
    join ledger.node node on node.campaign_id = as_of.campaign_id and node.seq <= as_of.seq
      and node.block_timestamp >= partial_day.day * ${DAY_SECONDS}::bigint
      and node.block_timestamp < (partial_day.day + 1) * ${DAY_SECONDS}::bigint
      and node.block_timestamp >= ${from}::bigint and node.block_timestamp < ${to}::bigint
    join ledger.sale sale on sale.campaign_id = as_of.campaign_id
      and sale.node_id = node.node_id and sale.block_number <= ${head.number}
      and sale.block_timestamp < ${to}::bigint
    ${before}
    where ${wasFinalized}`;
  // Sales in the last week, but after the period: the totals include them.
  const afterPeriod = sql`
    select ${cell}, -1
    from as_of
    cross join lateral (
      select * from ledger.sale
      where sale.campaign_id = as_of.campaign_id and sale.block_timestamp >= ${to}::bigint
        and sale.block_timestamp < ${end}::bigint
      ${fence(sql)}
    ) sale
    ${seller} ${before}
    where ${wasFinalized} and sale.seq <= as_of.seq`;
  // Sales that changed after the settled block: what the totals include, and what they were.
  const changed = sql`
    select ${cell}, -1
    from as_of cross join lateral ${changedSales(sql)}
    ${seller}
    where sale.state = 'finalized' and sale.block_timestamp < ${end}::bigint
    union all
    select ${cell}, 1
    from as_of cross join lateral ${changedSales(sql)}
    ${seller} ${before}
    where ${wasFinalized} and sale.seq <= as_of.seq and sale.block_timestamp < ${end}::bigint`;
  const settledAfter = to <= head.timestamp && to < end;
  return [partialDays.length > 0 && onPartialDays, settledAfter && afterPeriod, ahead && changed];
}

function cohortsOf(rows: readonly StoredRow[]): CohortView[] {
  const cohorts = new Map<number, CohortView & { sales: Map<number, number> }>();
  for (const { week, nodes, since, sales } of rows.map(cohortWeek.decode)) {
    const cohort = cohorts.get(week) ?? { week, nodes, sales: new Map() };
    if (since !== null) cohort.sales.set(since, sales);
    cohorts.set(week, cohort);
  }
  return [...cohorts.values()];
}
