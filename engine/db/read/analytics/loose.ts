import { DAY_SECONDS, periodBefore, type Stretch } from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import {
  changedSales,
  changedStandings,
  joinPastVersion,
  laterNodes,
  stoodColumns,
} from '../changed.ts';
import type { Snapshot } from '../snapshot.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** What sums by day do not tell of a period, so that sales and nodes are read one by one. */
export interface Loose {
  /**
   * The days that the period, or the one before it, cuts: their sums say too much. None where both
   * begin and end at midnight in UTC.
   */
  readonly cut: readonly number[];
  /** Whether anything that the sums count came after the settled block. */
  readonly ahead: boolean;
}

/**
 * One statement, two probes a campaign. Nearly always nothing is loose: statements then leave out
 * what would put the sums right, which takes longer to plan than the sums take to read.
 */
export async function readLoose({ sql, head }: Snapshot, scope: AnalyticsScope): Promise<Loose> {
  const [row] = await sql<{ ahead: boolean }[]>`
    with own as materialized (${scopedCampaigns(sql, head, scope)})
    select exists (select from own cross join lateral ${changedSales(sql)})
      or exists (select from own cross join lateral ${laterNodes(sql)}) as ahead`;
  return { cut: cutDays(scope.period), ahead: row?.ahead ?? false };
}

function cutDays(period: Stretch): number[] {
  const bounds = [periodBefore(period).from, period.from, period.to];
  const cut = bounds.filter((bound) => bound % DAY_SECONDS !== 0);
  return [...new Set(cut.map((bound) => Math.floor(bound / DAY_SECONDS)))];
}

/**
 * The sales that the sums by day are put right with, as a fragment to select from, over `own`: those of
 * the cut days, as they stood at the settled block; and those that a later event recorded or changed.
 * @returns `undefined` where nothing is loose.
 */
export function looseSales(sql: Sql, period: Stretch, { cut, ahead }: Loose) {
  const cutList = sql`${[...cut]}::bigint[]`;
  const ofCutDays = sql`
    select 1 as sign, own.campaign_id, own.main, own.counts, sale.sale_id, sale.node_id,
      sale.block_timestamp, ${stoodColumns(sql)}
    from own cross join unnest(${cutList}) as cut (day)
    join ledger.sale sale on sale.campaign_id = own.campaign_id and sale.seq <= own.seq
      and sale.block_timestamp >= cut.day * ${DAY_SECONDS}::bigint
      and sale.block_timestamp < (cut.day + 1) * ${DAY_SECONDS}::bigint
      and sale.block_timestamp < ${period.to}::bigint
    ${joinPastVersion(sql)}`;
  const changed = sql`
    select * from (${changedStandings(sql, sql`own.main, own.counts`)}) changed
    where changed.block_timestamp < ${period.to}::bigint
      and not changed.block_timestamp / ${DAY_SECONDS}::bigint = any(${cutList})`;
  if (cut.length === 0) return ahead ? changed : undefined;
  return unionAll(sql, ofCutDays, ahead && changed);
}

/** The same of nodes: those that joined on a cut day, and, to take out, those that joined later. */
export function looseNodes(sql: Sql, period: Stretch, { cut, ahead }: Loose) {
  const cutList = sql`${[...cut]}::bigint[]`;
  const ofCutDays = sql`
    select 1 as sign, own.campaign_id, own.main, node.block_timestamp
    from own cross join unnest(${cutList}) as cut (day)
    join ledger.node node on node.campaign_id = own.campaign_id and node.seq <= own.seq
      and node.block_timestamp >= cut.day * ${DAY_SECONDS}::bigint
      and node.block_timestamp < (cut.day + 1) * ${DAY_SECONDS}::bigint
      and node.block_timestamp < ${period.to}::bigint`;
  const later = sql`
    select -1 as sign, own.campaign_id, own.main, node.block_timestamp
    from own cross join lateral ${laterNodes(sql)}
    where node.block_timestamp < ${period.to}::bigint
      and not node.block_timestamp / ${DAY_SECONDS}::bigint = any(${cutList})`;
  if (cut.length === 0) return ahead ? later : undefined;
  return unionAll(sql, ofCutDays, ahead && later);
}

/** The first select, and those of the others that there are, as one. */
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
 * Whether the sums of that day are the period's, or of before it: it ends before the period does, and
 * is not cut.
 */
export function isWhole(sql: Sql, day: Fragment, period: Stretch, { cut }: Loose) {
  const before = sql`${day} < ${Math.ceil(period.to / DAY_SECONDS)}::bigint`;
  return cut.length === 0 ? before : sql`${before} and not ${day} = any(${[...cut]}::bigint[])`;
}
