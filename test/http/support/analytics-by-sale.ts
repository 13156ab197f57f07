import {
  addTotals,
  DAY_SECONDS,
  type PeriodTotals,
  previousPeriod,
  type TimeRange,
  zeroTotals,
} from '../../../engine/core/analytics.ts';
import type { Sql } from '../../../engine/db/connection.ts';
import { toInteger } from '../../../engine/db/ids.ts';
import { type AnalyticsScope, scopedCampaigns } from '../../../engine/db/read/analytics/scope.ts';
import type { AnalyticsTotals } from '../../../engine/db/read/analytics/totals.ts';
import type { Snapshot } from '../../../engine/db/read/snapshot.ts';
import { joinPastState } from './past-state.ts';

/** Depths, and campaigns, that are reported at most. */
const MAX_DEPTHS = 100;
const MAX_CAMPAIGNS = 100;

/** Numbers of days that are none of the period's. */
const PREVIOUS = -1;
const EARLIER = -2;

interface TotalsRow {
  kind: 'day' | 'depth' | 'campaign';
  key: string;
  pending: string;
  finalized: string;
  refunded: string;
  settled: string;
  value: string;
  rewards: string;
  links: string;
}

/** The totals as the sales themselves say them, each read once: what the sums must agree with. */
export async function analyticsBySale(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
): Promise<AnalyticsTotals> {
  const { period } = scope;
  const rows = await sql<TotalsRow[]>`
    with own as materialized (${scopedCampaigns(sql, head, scope)}),
    sold as materialized (
      select own.campaign_id, own.main, sale.node_id, ${dayOf(sql, 'sale', period)} as day,
        count(*) filter (where past.state = 'pending') as pending,
        count(*) filter (where past.state in ('finalized', 'reversed')) as finalized,
        count(*) filter (where past.state = 'refunded') as refunded,
        count(*) filter (where past.state = 'finalized') as settled,
        coalesce(sum(sale.amount - past.refunded_total)
          filter (where past.state = 'finalized' and own.counts), 0) as value,
        coalesce(sum(paid.rewards), 0) as rewards
      from own
      join ledger.sale sale on sale.campaign_id = own.campaign_id
        and sale.block_number <= ${head.number} and sale.block_timestamp < ${period.to}::bigint
      ${joinPastState(sql, sql`own.seq`)}
      -- A finalized sale vests no more: what its levels hold now is what they held then.
      left join lateral (
        select sum(level.vested) as rewards from ledger.sale_level level
        where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
      ) paid on past.state = 'finalized' and own.counts and sale.node_id is not null
      group by 1, 2, 3, 4
    ), joined as materialized (
      select own.campaign_id, own.main, ${dayOf(sql, 'node', period)} as day, count(*) as links
      from own
      join ledger.node node on node.campaign_id = own.campaign_id
        and node.block_number <= ${head.number} and node.block_timestamp < ${period.to}::bigint
      group by 1, 2, 3
    ), counted as (
      select campaign_id, main, day, pending, finalized, refunded, settled, value, rewards,
        0 as links from sold
      union all
      select campaign_id, main, day, 0, 0, 0, 0, 0, 0, links from joined
    )
    select 'day' as kind, day as key, ${sums(sql)} from counted where main group by day
    union all (
      select 'depth', node.depth, 0, 0, 0, sum(settled), 0, sum(rewards), 0
      from sold join ledger.node node
        on node.campaign_id = sold.campaign_id and node.node_id = sold.node_id
      where sold.main and sold.day >= 0 and sold.settled > 0
      group by node.depth order by node.depth limit ${MAX_DEPTHS}
    )
    union all (
      select 'campaign', campaign_id, ${sums(sql)} from (
        select * from counted where day >= 0
        union all select campaign_id, main, 0, 0, 0, 0, 0, 0, 0, 0 from own
      ) each group by campaign_id
      order by sum(value) desc, sum(settled) desc, campaign_id limit ${MAX_CAMPAIGNS}
    )`;
  return totalsOf(rows);
}

/** The number of the day that a row is in. */
function dayOf(sql: Sql, table: 'sale' | 'node', period: TimeRange) {
  const time = sql`${sql(table)}.block_timestamp`;
  const first = Math.floor(period.from / DAY_SECONDS);
  return sql`case when ${time} < ${previousPeriod(period).from}::bigint then ${EARLIER}::bigint
    when ${time} < ${period.from}::bigint then ${PREVIOUS}::bigint
    else ${time} / ${DAY_SECONDS}::bigint - ${first}::bigint end`;
}

function sums(sql: Sql) {
  return sql`sum(pending) as pending, sum(finalized) as finalized, sum(refunded) as refunded,
    sum(settled) as settled, sum(value) as value, sum(rewards) as rewards, sum(links) as links`;
}

function totalsOf(rows: readonly TotalsRow[]): AnalyticsTotals {
  const rowsOf = (kind: TotalsRow['kind']) => rows.filter((row) => row.kind === kind);
  const byDay = new Map(rowsOf('day').map((row) => [toInteger(row.key), sumsOf(row)]));
  const previous = byDay.get(PREVIOUS) ?? zeroTotals;
  const earlier = byDay.get(EARLIER) ?? zeroTotals;
  byDay.delete(PREVIOUS);
  byDay.delete(EARLIER);
  return {
    days: byDay,
    previous,
    before: addTotals(earlier, previous),
    depths: rowsOf('depth').map((row) => ({
      depth: toInteger(row.key),
      sales: toInteger(row.settled),
      rewards: BigInt(row.rewards),
    })),
    campaigns: rowsOf('campaign').map((row) => ({ campaignId: row.key, sums: sumsOf(row) })),
  };
}

function sumsOf(row: TotalsRow): PeriodTotals {
  return {
    pending: toInteger(row.pending),
    finalized: toInteger(row.finalized),
    refunded: toInteger(row.refunded),
    value: BigInt(row.value),
    rewards: BigInt(row.rewards),
    links: toInteger(row.links),
  };
}
