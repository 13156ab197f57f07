import { DAY_SECONDS, previousPeriod, type TimeRange } from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import {
  changedSales,
  joinSaleAsOf,
  laterNodes,
  saleAsOf,
  saleCorrections,
} from '../corrections.ts';
import type { Snapshot } from '../snapshot.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** The part of a period that totals by day do not cover, so that sales and nodes are read individually. */
export interface Delta {
  /**
   * Days that the period, or the one before it, includes only a part of: their totals are too large. None
   * if both begin and end at midnight UTC. Days since 1970.
   */
  readonly partialDays: readonly number[];
  /** True if the totals include sales or nodes that are later than the settled block. */
  readonly ahead: boolean;
}

/**
 * Finds what the totals do not cover: one statement, two probes a campaign. Usually nothing. Statements then
 * leave the corrections out, because planning them takes longer than reading the totals.
 */
export async function readDelta({ sql, head }: Snapshot, scope: AnalyticsScope): Promise<Delta> {
  const [row] = await sql<{ ahead: boolean }[]>`
    with as_of as materialized (${scopedCampaigns(sql, head, scope)})
    select exists (select from as_of cross join lateral ${changedSales(sql)})
      or exists (select from as_of cross join lateral ${laterNodes(sql)}) as ahead`;
  return { partialDays: partialDaysOf(scope.period), ahead: row?.ahead ?? false };
}

function partialDaysOf(period: TimeRange): number[] {
  const bounds = [previousPeriod(period).from, period.from, period.to];
  const inside = bounds.filter((bound) => bound % DAY_SECONDS !== 0);
  return [...new Set(inside.map((bound) => Math.floor(bound / DAY_SECONDS)))];
}

/**
 * The sales in campaigns of `as_of` that correct the totals by day, as a fragment to select from: those of
 * partial days, as of the settled block; and those that a later event recorded or changed.
 * @returns `undefined` if there is nothing to correct.
 */
export function deltaSales(sql: Sql, period: TimeRange, { partialDays, ahead }: Delta) {
  const partialList = sql`${[...partialDays]}::bigint[]`;
  const onPartialDays = sql`
    select 1 as sign, as_of.campaign_id, as_of.main, as_of.counts, sale.sale_id, sale.node_id,
      sale.block_timestamp, ${saleAsOf(sql)}
    from as_of cross join unnest(${partialList}) as partial_day (day)
    join ledger.sale sale on sale.campaign_id = as_of.campaign_id and sale.seq <= as_of.seq
      and sale.block_timestamp >= partial_day.day * ${DAY_SECONDS}::bigint
      and sale.block_timestamp < (partial_day.day + 1) * ${DAY_SECONDS}::bigint
      and sale.block_timestamp < ${period.to}::bigint
    ${joinSaleAsOf(sql)}`;
  const changed = sql`
    select * from (${saleCorrections(sql, sql`as_of.main, as_of.counts`)}) changed
    where changed.block_timestamp < ${period.to}::bigint
      and not changed.block_timestamp / ${DAY_SECONDS}::bigint = any(${partialList})`;
  if (partialDays.length === 0) return ahead ? changed : undefined;
  return unionAll(sql, onPartialDays, ahead && changed);
}

/**
 * The nodes that correct the totals by day, as `deltaSales` does for sales: those that joined on partial
 * days, and, with `sign` -1, those that joined later than the settled block.
 */
export function deltaNodes(sql: Sql, period: TimeRange, { partialDays, ahead }: Delta) {
  const partialList = sql`${[...partialDays]}::bigint[]`;
  const onPartialDays = sql`
    select 1 as sign, as_of.campaign_id, as_of.main, node.block_timestamp
    from as_of cross join unnest(${partialList}) as partial_day (day)
    join ledger.node node on node.campaign_id = as_of.campaign_id and node.seq <= as_of.seq
      and node.block_timestamp >= partial_day.day * ${DAY_SECONDS}::bigint
      and node.block_timestamp < (partial_day.day + 1) * ${DAY_SECONDS}::bigint
      and node.block_timestamp < ${period.to}::bigint`;
  const later = sql`
    select -1 as sign, as_of.campaign_id, as_of.main, node.block_timestamp
    from as_of cross join lateral ${laterNodes(sql)}
    where node.block_timestamp < ${period.to}::bigint
      and not node.block_timestamp / ${DAY_SECONDS}::bigint = any(${partialList})`;
  if (partialDays.length === 0) return ahead ? later : undefined;
  return unionAll(sql, onPartialDays, ahead && later);
}

/** The union of the first select and of the others that are given. */
export function unionAll(
  sql: Sql,
  first: Fragment,
  ...others: readonly (Fragment | false | undefined)[]
): Fragment {
  return others.reduce<Fragment>(
    (all, other) => (other ? sql`${all} union all ${other}` : all),
    first,
  );
}

/**
 * A condition: the whole day is in the period or before it, so that its totals count.
 */
export function isWholeDay(sql: Sql, day: Fragment, period: TimeRange, { partialDays }: Delta) {
  const before = sql`${day} < ${Math.ceil(period.to / DAY_SECONDS)}::bigint`;
  return partialDays.length === 0
    ? before
    : sql`${before} and not ${day} = any(${[...partialDays]}::bigint[])`;
}
