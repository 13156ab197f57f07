import { mondayOf, WEEK_SECONDS } from '../../../engine/core/analytics.ts';
import { toInteger } from '../../../engine/db/ids.ts';
import type { CohortView } from '../../../engine/db/read/analytics/cohorts.ts';
import { type AnalyticsScope, scopedCampaigns } from '../../../engine/db/read/analytics/scope.ts';
import type { Snapshot } from '../../../engine/db/read/snapshot.ts';
import { joinPastState } from './past-state.ts';

/** The cohorts as the sales themselves say them: what the sums must agree with. */
export async function cohortsBySale(
  { sql, head }: Snapshot,
  scope: AnalyticsScope,
): Promise<CohortView[]> {
  const { from, to } = scope.period;
  const week = (column: ReturnType<typeof sql>) =>
    sql`(${column} - ${mondayOf(0)}::bigint) / ${WEEK_SECONDS}::bigint`;
  const rows = await sql<{ week: string; nodes: string; since: string | null; sales: string }[]>`
    with own as materialized (${scopedCampaigns(sql, head, { ...scope, comparedIds: [] })}),
    joined as materialized (
      select own.campaign_id, own.seq, node.node_id, ${week(sql`node.block_timestamp`)} as week
      from own
      join ledger.node node on node.campaign_id = own.campaign_id
        and node.block_number <= ${head.number}
        and node.block_timestamp >= ${from}::bigint and node.block_timestamp < ${to}::bigint
    ), sizes as (
      select week, count(*) as nodes from joined group by week
    ), sold as (
      select joined.week, ${week(sql`sale.block_timestamp`)} - joined.week as since,
        count(*) as sales
      from joined
      join ledger.sale sale on sale.campaign_id = joined.campaign_id
        and sale.node_id = joined.node_id and sale.block_number <= ${head.number}
        and sale.block_timestamp < ${to}::bigint
      ${joinPastState(sql, sql`joined.seq`)}
      where past.state = 'finalized'
      group by 1, 2
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
