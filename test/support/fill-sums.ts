import type { Pool } from '../../engine/db/connection.ts';

/** The sums by day of a ledger whose rows were written set-wise, and not by settlement. */
export async function fillSums(pool: Pool): Promise<void> {
  await pool`
    insert into ledger.sale_day
    select campaign_id, day, linked, sum(pending), sum(finalized), sum(refunded), sum(reversed),
      sum(value), sum(rewards)
    from ledger.sale_sum group by campaign_id, day, linked`;
  await pool`
    insert into ledger.depth_day
    select campaign_id, day, depth, sum(finalized), sum(rewards)
    from ledger.sale_sum where depth is not null group by campaign_id, day, depth`;
  await pool`
    insert into ledger.cohort_week
    select campaign_id, join_day, week, sum(finalized)
    from ledger.sale_sum where join_day is not null group by campaign_id, join_day, week`;
  await pool`
    insert into ledger.node_day
    select campaign_id, block_timestamp / 86400, count(*) from ledger.node group by 1, 2`;
}
