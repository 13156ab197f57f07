import type { Pool } from '../connection.ts';

/**
 * Writes how often links were opened on each day before the settled block's, for the sample history
 * alone: a few times on most days, and more often on days with sales. A day that has a figure keeps
 * it.
 */
export async function writeSampleOpens(pool: Pool): Promise<void> {
  await pool`
    with sold as (
      select campaign_id, node_id, (to_timestamp(block_timestamp) at time zone 'UTC')::date as day, count(*) as sales
      from ledger.sale where node_id is not null group by 1, 2, 3
    ), opened as (
      select node.campaign_id, node.node_id, each.day,
        -- As good as random, and the same each time.
        (node.node_id * 7 + extract(day from each.day)::bigint * 5) % 4
          + 5 * coalesce(sold.sales, 0) as opens
      from ledger.head
      join ledger.node on true
      cross join lateral (
        select generate_series(
          (to_timestamp(node.block_timestamp) at time zone 'UTC')::date, (to_timestamp(head.settled_timestamp) at time zone 'UTC')::date - 1, interval '1 day'
        )::date as day
      ) as each
      left join sold on sold.campaign_id = node.campaign_id
        and sold.node_id = node.node_id and sold.day = each.day
    )
    insert into commerce.referral_day (campaign_id, node_id, day, opens, visitors)
    select campaign_id, node_id, day, opens, opens - opens / 4 from opened where opens > 0
    on conflict (campaign_id, node_id, day) do nothing`;
}
