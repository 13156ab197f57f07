import {
  DAY_SECONDS,
  mondayOf,
  type Stretch,
  WEEK_SECONDS,
  weekOf,
} from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { changedSales } from '../changed.ts';
import { toInteger } from '../ids.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';
import { isWhole, type Loose, looseNodes, unionAll } from './loose.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** The nodes that joined in one week of the period. */
export interface CohortView {
  /** Number of the week (`weekOf`). */
  readonly week: number;
  readonly nodes: number;
  /** Settled sales of the period that they made themselves, by the weeks since; 0 is their own. */
  readonly sales: ReadonlyMap<number, number>;
}

interface CohortRow {
  week: string;
  nodes: string;
  since: string | null;
  sales: string;
}

/**
 * One statement; oldest cohort first. It reads sums by day of joining and week of selling, and puts
 * them right by what is loose: the sales of nodes that joined on a cut day, those made after the
 * period in the week that it ends in, and those that changed after the settled block.
 */
export async function analyticsCohorts(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
  loose: Loose,
): Promise<CohortView[]> {
  const { period } = scope;
  const first = sql`${Math.ceil(period.from / DAY_SECONDS)}::bigint`;
  const whole = (day: Fragment) => sql`${day} >= ${first} and ${isWhole(sql, day, period, loose)}`;
  const looseJoins = looseNodes(sql, period, loose);
  const joined = unionAll(
    sql,
    sql`
      select ${weekOfDay(sql, sql`sums.day`)} as week, sums.joined as nodes
      from own join ledger.node_day sums
        on sums.campaign_id = own.campaign_id and ${whole(sql`sums.day`)}`,
    looseJoins &&
      sql`
        select ${weekAt(sql, sql`loose.block_timestamp`)}, loose.sign from (${looseJoins}) loose
        where loose.block_timestamp >= ${period.from}::bigint`,
  );
  const sold = unionAll(
    sql,
    sql`
      select ${weekOfDay(sql, sql`sums.join_day`)} as week, sums.week as at,
        sums.finalized as sales
      from own join ledger.cohort_week sums
        on sums.campaign_id = own.campaign_id and ${whole(sql`sums.join_day`)}
        and sums.week <= ${weekOf(period.to - 1)}::bigint`,
    ...looseCells(sql, head, period, loose),
  );
  const rows = await sql<CohortRow[]>`
    with own as materialized (${scopedCampaigns(sql, head, { ...scope, comparedIds: [] })}),
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

/** The number of the week that a time is in, as `weekOf`. */
function weekAt(sql: Sql, time: Fragment) {
  return sql`(${time} - ${mondayOf(0)}::bigint) / ${WEEK_SECONDS}::bigint`;
}

/** The same of a day. */
function weekOfDay(sql: Sql, day: Fragment) {
  return sql`(${day} - ${mondayOf(0) / DAY_SECONDS}::bigint) / ${WEEK_SECONDS / DAY_SECONDS}::bigint`;
}

/** What puts the sums right, sale by sale: week of joining, week of the sale, and 1 or -1. */
function looseCells(sql: Sql, head: ReadHead, period: Stretch, loose: Loose) {
  const { from, to } = period;
  const { cut, ahead } = loose;
  const end = mondayOf(weekOf(to - 1) + 1);
  const joinDay = sql`(node.block_timestamp / ${DAY_SECONDS}::bigint)`;
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
      and ${joinDay} >= ${Math.ceil(from / DAY_SECONDS)}::bigint
      and ${isWhole(sql, joinDay, period, loose)}`;
  const cell = sql`
    ${weekAt(sql, sql`node.block_timestamp`)}, ${weekAt(sql, sql`sale.block_timestamp`)}`;
  const ofCutDays = sql`
    select ${cell}, 1
    from own cross join unnest(${[...cut]}::bigint[]) as cut (day)
    join ledger.node node on node.campaign_id = own.campaign_id and node.seq <= own.seq
      and node.block_timestamp >= cut.day * ${DAY_SECONDS}::bigint
      and node.block_timestamp < (cut.day + 1) * ${DAY_SECONDS}::bigint
      and node.block_timestamp >= ${from}::bigint and node.block_timestamp < ${to}::bigint
    join ledger.sale sale on sale.campaign_id = own.campaign_id
      and sale.node_id = node.node_id and sale.block_number <= ${head.number}
      and sale.block_timestamp < ${to}::bigint
    ${past}
    where ${stood}`;
  // In the last week, but after the period: too much in its sums.
  const afterPeriod = sql`
    select ${cell}, -1
    from own
    cross join lateral (
      select * from ledger.sale
      where sale.campaign_id = own.campaign_id and sale.block_timestamp >= ${to}::bigint
        and sale.block_timestamp < ${end}::bigint
      offset 0
    ) sale
    ${seller} ${past}
    where ${stood} and sale.seq <= own.seq`;
  // Changed since the settled block: what they add now, and what they added then.
  const changed = sql`
    select ${cell}, -1
    from own cross join lateral ${changedSales(sql)}
    ${seller}
    where sale.state = 'finalized' and sale.block_timestamp < ${end}::bigint
    union all
    select ${cell}, 1
    from own cross join lateral ${changedSales(sql)}
    ${seller} ${past}
    where ${stood} and sale.seq <= own.seq and sale.block_timestamp < ${end}::bigint`;
  const settledAfter = to <= head.timestamp && to < end;
  return [cut.length > 0 && ofCutDays, settledAfter && afterPeriod, ahead && changed];
}

function cohortsOf(rows: readonly CohortRow[]): CohortView[] {
  const cohorts = new Map<number, CohortView & { sales: Map<number, number> }>();
  for (const row of rows) {
    const key = toInteger(row.week);
    const cohort = cohorts.get(key) ?? { week: key, nodes: toInteger(row.nodes), sales: new Map() };
    if (row.since !== null) cohort.sales.set(toInteger(row.since), toInteger(row.sales));
    cohorts.set(key, cohort);
  }
  return [...cohorts.values()];
}
