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
import { isWhole, type Loose, looseNodes, looseSales, unionAll } from './loose.ts';
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
 * One statement. It reads sums by day, and puts them right by what is loose: the sales of days that
 * the period cuts, and those that changed after the settled block. Its cost follows days, not sales.
 */
export async function analyticsFigures(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
  loose: Loose,
): Promise<AnalyticsFigures> {
  const { period } = scope;
  const { sales, parts } = looseParts(sql, period, loose);
  const day = sql`sums.day`;
  const whole = isWhole(sql, day, period, loose);
  // Sums of no campaign are zeros: one on which nothing happened is told as well.
  const told = unionAll(
    sql,
    sql`
      select own.campaign_id, own.main, ${dayOf(sql, day, DAY_SECONDS, period)} as day, sums.pending,
        sums.finalized + sums.reversed as finalized, sums.refunded, sums.finalized as settled,
        case when own.counts then sums.value else 0 end as value,
        case when own.counts then sums.rewards else 0 end as rewards, 0 as links
      from own join ledger.sale_day sums on sums.campaign_id = own.campaign_id and ${whole}`,
    sql`
      select own.campaign_id, own.main, ${dayOf(sql, day, DAY_SECONDS, period)},
        0, 0, 0, 0, 0, 0, sums.joined
      from own join ledger.node_day sums on sums.campaign_id = own.campaign_id and ${whole}`,
    sql`select campaign_id, main, 0, 0, 0, 0, 0, 0, 0, 0 from own`,
    ...parts,
  );
  const rows = await sql<FigureRow[]>`
    with own as materialized (${scopedCampaigns(sql, head, scope)}), ${sales}
    summed as materialized (
      select campaign_id, main, day, day >= 0 as within, ${sums(sql)}
      from (${told}) told group by grouping sets ((main, day), (campaign_id, day >= 0))
    )
    select 'day' as told, day as key, ${figures(sql)} from summed where main
    union all (
      select 'depth', depth, 0, 0, 0, sum(settled), 0, sum(rewards), 0
      from (${deepSales(sql, period, loose)}) deep
      group by depth having sum(settled) > 0 order by depth limit ${DEPTHS_MOST}
    )
    union all (
      select 'campaign', campaign_id, ${figures(sql)} from summed where within
      order by value desc, settled desc, campaign_id limit ${CAMPAIGNS_MOST}
    )`;
  return figuresOf(rows);
}

/** What is loose, as rows of the sums; and the sales of it, as a query by name, for depths too. */
function looseParts(sql: Sql, period: Stretch, loose: Loose) {
  const sales = looseSales(sql, period, loose);
  const nodes = looseNodes(sql, period, loose);
  if (sales === undefined || nodes === undefined) return { sales: sql``, parts: [] };
  const day = dayOf(sql, sql`loose.block_timestamp`, 1, period);
  return {
    sales: sql`
      loose as materialized (
        select loose.*, ${day} as day,
          case when loose.state = 'finalized' and loose.counts and loose.node_id is not null then (
            -- A finalized sale vests no more: what its levels hold now is what they held then.
            select sum(level.vested) from ledger.sale_level level
            where level.campaign_id = loose.campaign_id and level.sale_id = loose.sale_id
          ) end as rewards
        from (${sales}) loose
      ),`,
    parts: [
      sql`
        select campaign_id, main, day,
          coalesce(sum(sign) filter (where state = 'pending'), 0),
          coalesce(sum(sign) filter (where state in ('finalized', 'reversed')), 0),
          coalesce(sum(sign) filter (where state = 'refunded'), 0),
          coalesce(sum(sign) filter (where state = 'finalized'), 0),
          coalesce(sum(sign * left_over) filter (where state = 'finalized' and counts), 0),
          coalesce(sum(sign * rewards), 0), 0
        from loose group by 1, 2, 3`,
      sql`
        select campaign_id, main, ${day}, 0, 0, 0, 0, 0, 0, sum(sign)
        from (${nodes}) loose group by 1, 2, 3`,
    ],
  };
}

/** Settled sales of the period by the depth of the selling node. */
function deepSales(sql: Sql, period: Stretch, loose: Loose) {
  const byDay = sql`
    select sums.depth, sums.finalized as settled,
      case when own.counts then sums.rewards else 0 end as rewards
    from own join ledger.depth_day sums on sums.campaign_id = own.campaign_id
      and ${isWhole(sql, sql`sums.day`, period, loose)}
      and sums.day >= ${Math.ceil(period.from / DAY_SECONDS)}::bigint
    where own.main`;
  const one = sql`
    select node.depth, loose.sign, loose.sign * coalesce(loose.rewards, 0)
    from loose join ledger.node node
      on node.campaign_id = loose.campaign_id and node.node_id = loose.node_id
    where loose.main and loose.day >= 0 and loose.state = 'finalized'`;
  return loose.cut.length > 0 || loose.ahead ? sql`${byDay} union all ${one}` : byDay;
}

/**
 * The number of the day in the period that a time is of, or of the stretch before it.
 * @param unit seconds that the time is counted in: a day, which is no cut one, or one.
 */
function dayOf(sql: Sql, time: Fragment, unit: number, period: Stretch) {
  const first = Math.floor(period.from / DAY_SECONDS);
  const begins = (at: number) => sql`${Math.ceil(at / unit)}::bigint`;
  const day = unit === DAY_SECONDS ? time : sql`${time} / ${DAY_SECONDS}::bigint`;
  return sql`case when ${time} < ${begins(periodBefore(period).from)} then ${EARLIER}::bigint
    when ${time} < ${begins(period.from)} then ${PREVIOUS}::bigint
    else ${day} - ${first}::bigint end`;
}

const FIGURES = ['pending', 'finalized', 'refunded', 'settled', 'value', 'rewards', 'links'];

function figures(sql: Sql) {
  return sql.unsafe(FIGURES.join(', '));
}

function sums(sql: Sql) {
  return sql.unsafe(FIGURES.map((name) => `sum(${name}) as ${name}`).join(', '));
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
