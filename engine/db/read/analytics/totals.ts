import {
  addTotals,
  DAY_SECONDS,
  type PeriodTotals,
  previousPeriod,
  type TimeRange,
  zeroTotals,
} from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { toInteger } from '../../ids.ts';
import { amount, as, id, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';
import { type Delta, deltaNodes, deltaSales, isWholeDay, unionAll } from './delta.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** Totals of a period's sales and joins, as of the settled block (docs/use/analytics.md). */
export interface AnalyticsTotals {
  /** By the number of the day in the period, from 0; days without events are missing. */
  readonly days: ReadonlyMap<number, PeriodTotals>;
  /** The period of the same length before. */
  readonly previous: PeriodTotals;
  /** Everything before the period, including `previous`. */
  readonly before: PeriodTotals;
  /** Lowest depth first, the lowest 100; the settled sales of nodes at that depth. */
  readonly depths: readonly {
    readonly depth: number;
    readonly sales: number;
    readonly rewards: bigint;
  }[];
  /** Largest value first, 100 at most. */
  readonly campaigns: readonly { readonly campaignId: string; readonly sums: PeriodTotals }[];
}

/** Maximum number of depths, and of campaigns, in a response. */
const MAX_DEPTHS = 100;
const MAX_CAMPAIGNS = 100;

/** Day numbers of what is before the period: the period of the same length before it, and all earlier days. */
const PREVIOUS = -1;
const EARLIER = -2;

const sumsRow = rowCodec({
  pending: integer,
  finalized: integer,
  refunded: integer,
  value: amount,
  rewards: amount,
  links: integer,
});

/** Totals by day, depth or campaign; `settled` does not include reversed sales. */
const totalsRow = rowCodec({
  group: as<'day' | 'depth' | 'campaign'>().from('grouped_by'),
  key: id,
  sums: sumsRow.fields,
  settled: integer,
});

type TotalsRow = View<typeof totalsRow>;

/**
 * Totals of a period: one statement. It reads totals by day and corrects them by the sales of partial days
 * and those that changed after the settled block. Its cost depends on the number of days, not of sales.
 */
export async function analyticsTotals(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
  delta: Delta,
): Promise<AnalyticsTotals> {
  const { period } = scope;
  const { sales, parts } = deltaParts(sql, period, delta);
  const day = sql`sums.day`;
  const whole = isWholeDay(sql, day, period, delta);
  // A row of zeros for each campaign, so that one without sales is in the result as well.
  const all = unionAll(
    sql,
    sql`
      select as_of.campaign_id, as_of.main, ${dayOf(sql, day, DAY_SECONDS, period)} as day, sums.pending,
        sums.finalized + sums.reversed as finalized, sums.refunded, sums.finalized as settled,
        case when as_of.counts then sums.value else 0 end as value,
        case when as_of.counts then sums.rewards else 0 end as rewards, 0 as links
      from as_of join ledger.sale_day sums on sums.campaign_id = as_of.campaign_id and ${whole}`,
    sql`
      select as_of.campaign_id, as_of.main, ${dayOf(sql, day, DAY_SECONDS, period)},
        0, 0, 0, 0, 0, 0, sums.joined
      from as_of join ledger.node_day sums on sums.campaign_id = as_of.campaign_id and ${whole}`,
    sql`select campaign_id, main, 0, 0, 0, 0, 0, 0, 0, 0 from as_of`,
    ...parts,
  );
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${scopedCampaigns(sql, head, scope)}), ${sales}
    summed as materialized (
      select campaign_id, main, day, day >= 0 as within, ${sums(sql)}
      from (${all}) happened group by grouping sets ((main, day), (campaign_id, day >= 0))
    )
    select 'day' as grouped_by, day as key, ${summedColumns(sql)} from summed where main
    union all (
      select 'depth', depth, 0, 0, 0, sum(settled), 0, sum(rewards), 0
      from (${deepSales(sql, period, delta)}) deep
      group by depth having sum(settled) > 0 order by depth limit ${MAX_DEPTHS}
    )
    union all (
      select 'campaign', campaign_id, ${summedColumns(sql)} from summed where within
      order by value desc, settled desc, campaign_id limit ${MAX_CAMPAIGNS}
    )`;
  return totalsOf(rows.map(totalsRow.decode));
}

/** The corrections as rows of the totals, and their sales as the table `delta`, which depths need as well. */
function deltaParts(sql: Sql, period: TimeRange, delta: Delta) {
  const sales = deltaSales(sql, period, delta);
  const nodes = deltaNodes(sql, period, delta);
  if (sales === undefined || nodes === undefined) return { sales: sql``, parts: [] };
  const day = dayOf(sql, sql`delta.block_timestamp`, 1, period);
  return {
    sales: sql`
      delta as materialized (
        select delta.*, ${day} as day,
          case when delta.state = 'finalized' and delta.counts and delta.node_id is not null then (
            -- A finalized sale does not vest again: its levels have the same rewards now as then.
            select sum(level.vested) from ledger.sale_level level
            where level.campaign_id = delta.campaign_id and level.sale_id = delta.sale_id
          ) end as rewards
        from (${sales}) delta
      ),`,
    parts: [
      sql`
        select campaign_id, main, day,
          coalesce(sum(sign) filter (where state = 'pending'), 0),
          coalesce(sum(sign) filter (where state in ('finalized', 'reversed')), 0),
          coalesce(sum(sign) filter (where state = 'refunded'), 0),
          coalesce(sum(sign) filter (where state = 'finalized'), 0),
          coalesce(sum(sign * remaining) filter (where state = 'finalized' and counts), 0),
          coalesce(sum(sign * rewards), 0), 0
        from delta group by 1, 2, 3`,
      sql`
        select campaign_id, main, ${day}, 0, 0, 0, 0, 0, 0, sum(sign)
        from (${nodes}) delta group by 1, 2, 3`,
    ],
  };
}

/** Settled sales of the period by the depth of the selling node. */
function deepSales(sql: Sql, period: TimeRange, delta: Delta) {
  const byDay = sql`
    select sums.depth, sums.finalized as settled,
      case when as_of.counts then sums.rewards else 0 end as rewards
    from as_of join ledger.depth_day sums on sums.campaign_id = as_of.campaign_id
      and ${isWholeDay(sql, sql`sums.day`, period, delta)}
      and sums.day >= ${Math.ceil(period.from / DAY_SECONDS)}::bigint
    where as_of.main`;
  const one = sql`
    select node.depth, delta.sign, delta.sign * coalesce(delta.rewards, 0)
    from delta join ledger.node node
      on node.campaign_id = delta.campaign_id and node.node_id = delta.node_id
    where delta.main and delta.day >= 0 and delta.state = 'finalized'`;
  return delta.partialDays.length > 0 || delta.ahead ? sql`${byDay} union all ${one}` : byDay;
}

/**
 * Number of the day in the period that contains a time, or `PREVIOUS` or `EARLIER`.
 * @param unit seconds in which the time counts: 1, or those of a day, which is then not a partial one.
 */
function dayOf(sql: Sql, time: Fragment, unit: number, period: TimeRange) {
  const first = Math.floor(period.from / DAY_SECONDS);
  const begins = (at: number) => sql`${Math.ceil(at / unit)}::bigint`;
  const day = unit === DAY_SECONDS ? time : sql`${time} / ${DAY_SECONDS}::bigint`;
  return sql`case when ${time} < ${begins(previousPeriod(period).from)} then ${EARLIER}::bigint
    when ${time} < ${begins(period.from)} then ${PREVIOUS}::bigint
    else ${day} - ${first}::bigint end`;
}

const SUMMED_COLUMNS = ['pending', 'finalized', 'refunded', 'settled', 'value', 'rewards', 'links'];

function summedColumns(sql: Sql) {
  return sql.unsafe(SUMMED_COLUMNS.join(', '));
}

function sums(sql: Sql) {
  return sql.unsafe(SUMMED_COLUMNS.map((name) => `sum(${name}) as ${name}`).join(', '));
}

function totalsOf(rows: readonly TotalsRow[]): AnalyticsTotals {
  const by = (group: TotalsRow['group']) => rows.filter((row) => row.group === group);
  const byDay = new Map(by('day').map(({ key, sums }) => [toInteger(key), sums]));
  const previous = byDay.get(PREVIOUS) ?? zeroTotals;
  const earlier = byDay.get(EARLIER) ?? zeroTotals;
  byDay.delete(PREVIOUS);
  byDay.delete(EARLIER);
  return {
    days: byDay,
    previous,
    before: addTotals(earlier, previous),
    depths: by('depth').map(({ key, sums, settled }) => ({
      depth: toInteger(key),
      sales: settled,
      rewards: sums.rewards,
    })),
    campaigns: by('campaign').map(({ key, sums }) => ({ campaignId: key, sums })),
  };
}
