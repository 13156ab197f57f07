import {
  addSums,
  DAY_SECONDS,
  noSums,
  periodBefore,
  type Stretch,
  type Sums,
} from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { toInteger } from '../ids.ts';
import type { Snapshot } from '../snapshot.ts';
import { cutDays, looseNodes, looseSales } from './loose.ts';
import { type AnalyticsScope, scopedCampaigns } from './scope.ts';

/** What a period's sales and joins add up to, as of the settled block (docs/analytics.md). */
export interface AnalyticsFigures {
  /** By the number of the day in the period, from 0; days on which nothing happened are missing. */
  readonly days: ReadonlyMap<number, Sums>;
  /** The period of the same length before. */
  readonly previous: Sums;
  /** All that was before the period, `previous` included. */
  readonly before: Sums;
  /** Lowest depth first, the lowest 100; the settled sales of nodes at that depth. */
  readonly depths: readonly {
    readonly depth: number;
    readonly sales: number;
    readonly rewards: bigint;
  }[];
  /** Largest value first, 100 at most. */
  readonly campaigns: readonly { readonly campaignId: string; readonly sums: Sums }[];
}

/** Depths, and campaigns, that are told at most. */
const DEPTHS_MOST = 100;
const CAMPAIGNS_MOST = 100;

/** Numbers of days that are none of the period's. */
const PREVIOUS = -1;
const EARLIER = -2;

interface FigureRow {
  told: 'day' | 'depth' | 'campaign';
  key: string;
  pending: string;
  finalized: string;
  refunded: string;
  settled: string;
  value: string;
  rewards: string;
  links: string;
}

/**
 * One statement. It reads sums by day, and puts them right by the sales of days that the period cuts
 * and by those that changed after the settled block: its cost follows days, not sales.
 */
export async function analyticsFigures(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
): Promise<AnalyticsFigures> {
  const { period } = scope;
  const cut = cutDays(period);
  const whole = (sums: Fragment) => sql`
    ${sums}.day * ${DAY_SECONDS}::bigint < ${period.to}::bigint
    and not ${sums}.day = any(${cut}::bigint[])`;
  const rows = await sql<FigureRow[]>`
    with own as materialized (${scopedCampaigns(sql, head, scope)}),
    loose as materialized (
      select loose.*, ${dayOf(sql, sql`loose.block_timestamp`, period)} as day,
        case when loose.state = 'finalized' and loose.counts and loose.node_id is not null then (
          -- A finalized sale vests no more: what its levels hold now is what they held then.
          select sum(level.vested) from ledger.sale_level level
          where level.campaign_id = loose.campaign_id and level.sale_id = loose.sale_id
        ) end as rewards
      from (${looseSales(sql, period, cut)}) loose
    ),
    told as (
      select own.campaign_id, own.main, ${dayOf(sql, midnight(sql, sql`sums`), period)} as day,
        sum(sums.pending) as pending, sum(sums.finalized + sums.reversed) as finalized,
        sum(sums.refunded) as refunded, sum(sums.finalized) as settled,
        coalesce(sum(sums.value) filter (where own.counts), 0) as value,
        coalesce(sum(sums.rewards) filter (where own.counts), 0) as rewards, 0 as links
      from own join ledger.sale_day sums
        on sums.campaign_id = own.campaign_id and ${whole(sql`sums`)}
      group by 1, 2, 3
      union all
      select campaign_id, main, day,
        sum(sign) filter (where state = 'pending'),
        sum(sign) filter (where state in ('finalized', 'reversed')),
        sum(sign) filter (where state = 'refunded'),
        sum(sign) filter (where state = 'finalized'),
        sum(sign * left_over) filter (where state = 'finalized' and counts),
        sum(sign * rewards), 0
      from loose group by 1, 2, 3
      union all
      select own.campaign_id, own.main, ${dayOf(sql, midnight(sql, sql`sums`), period)},
        0, 0, 0, 0, 0, 0, sum(sums.joined)
      from own join ledger.node_day sums
        on sums.campaign_id = own.campaign_id and ${whole(sql`sums`)}
      group by 1, 2, 3
      union all
      select campaign_id, main, ${dayOf(sql, sql`loose.block_timestamp`, period)},
        0, 0, 0, 0, 0, 0, sum(sign)
      from (${looseNodes(sql, period, cut)}) loose group by 1, 2, 3
    ),
    deep as (
      select sums.depth, sums.finalized as settled,
        case when own.counts then sums.rewards else 0 end as rewards
      from own join ledger.depth_day sums
        on sums.campaign_id = own.campaign_id and ${whole(sql`sums`)}
        and sums.day * ${DAY_SECONDS}::bigint >= ${period.from}::bigint
      where own.main
      union all
      select node.depth, loose.sign, loose.sign * coalesce(loose.rewards, 0)
      from loose join ledger.node node
        on node.campaign_id = loose.campaign_id and node.node_id = loose.node_id
      where loose.main and loose.day >= 0 and loose.state = 'finalized'
    )
    select 'day' as told, day as key, ${sums(sql)} from told where main group by day
    union all (
      select 'depth', depth, 0, 0, 0, sum(settled), 0, sum(rewards), 0
      from deep group by depth having sum(settled) > 0 order by depth limit ${DEPTHS_MOST}
    )
    union all (
      select 'campaign', campaign_id, ${sums(sql)} from (
        select * from told where day >= 0
        union all select campaign_id, main, 0, 0, 0, 0, 0, 0, 0, 0 from own
      ) each group by campaign_id
      order by coalesce(sum(value), 0) desc, coalesce(sum(settled), 0) desc, campaign_id
      limit ${CAMPAIGNS_MOST}
    )`;
  return figuresOf(rows);
}

/** When the day of a row of sums begins. */
function midnight(sql: Sql, table: Fragment) {
  return sql`${table}.day * ${DAY_SECONDS}::bigint`;
}

/** The number of the day in the period that a time is of, or of the stretch before it. */
function dayOf(sql: Sql, time: Fragment, period: Stretch) {
  const first = Math.floor(period.from / DAY_SECONDS);
  return sql`case when ${time} < ${periodBefore(period).from}::bigint then ${EARLIER}::bigint
    when ${time} < ${period.from}::bigint then ${PREVIOUS}::bigint
    else ${time} / ${DAY_SECONDS}::bigint - ${first}::bigint end`;
}

function sums(sql: Sql) {
  const columns = ['pending', 'finalized', 'refunded', 'settled', 'value', 'rewards', 'links'];
  return sql`${columns.map(
    (name, i) => sql`${i === 0 ? sql`` : sql`, `}coalesce(sum(${sql(name)}), 0) as ${sql(name)}`,
  )}`;
}

function figuresOf(rows: readonly FigureRow[]): AnalyticsFigures {
  const told = (kind: FigureRow['told']) => rows.filter((row) => row.told === kind);
  const byDay = new Map(told('day').map((row) => [toInteger(row.key), sumsOf(row)]));
  const previous = byDay.get(PREVIOUS) ?? noSums;
  const earlier = byDay.get(EARLIER) ?? noSums;
  byDay.delete(PREVIOUS);
  byDay.delete(EARLIER);
  return {
    days: byDay,
    previous,
    before: addSums(earlier, previous),
    depths: told('depth').map((row) => ({
      depth: toInteger(row.key),
      sales: toInteger(row.settled),
      rewards: BigInt(row.rewards),
    })),
    campaigns: told('campaign').map((row) => ({ campaignId: row.key, sums: sumsOf(row) })),
  };
}

function sumsOf(row: FigureRow): Sums {
  return {
    pending: toInteger(row.pending),
    finalized: toInteger(row.finalized),
    refunded: toInteger(row.refunded),
    value: BigInt(row.value),
    rewards: BigInt(row.rewards),
    links: toInteger(row.links),
  };
}
