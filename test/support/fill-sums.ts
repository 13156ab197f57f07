import type { Pool } from '../../engine/db/connection.ts';

/** The sums of a ledger whose rows were written set-wise, and not by settlement. */
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
  await pool`
    insert into ledger.account_sum
    select campaign_id, account, sum(links), min(first_link_at), max(last_link_at), sum(direct),
      sum(network), sum(direct_settled), sum(network_settled), sum(settled_value),
      sum(ranked_pending), sum(ranked_direct), sum(ranked_network), sum(ranked_refunded),
      sum(ranked_reversed), sum(ranked_value), max(last_settled_at)
    from (
      select campaign_id, account, 0 as links, null::bigint as first_link_at,
        null::bigint as last_link_at, sum(direct) as direct, sum(network) as network,
        sum(direct_settled) as direct_settled, sum(network_settled) as network_settled,
        sum(settled_value) as settled_value, sum(ranked_pending) as ranked_pending,
        sum(ranked_direct) as ranked_direct, sum(ranked_network) as ranked_network,
        sum(ranked_refunded) as ranked_refunded, sum(ranked_reversed) as ranked_reversed,
        sum(ranked_value) as ranked_value, max(last_settled_at) as last_settled_at
      from ledger.sale_account group by campaign_id, account
      union all
      select campaign_id, owner, count(*), min(block_timestamp), max(block_timestamp),
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null
      from ledger.node group by campaign_id, owner
    ) each group by campaign_id, account`;
  await fillPartners(pool);
}

/** The totals of partners, again after campaigns were given to another merchant. */
export async function fillPartners(pool: Pool): Promise<void> {
  await pool`delete from ledger.merchant_partner`;
  await pool`
    insert into ledger.merchant_partner
    select campaign.merchant, sums.account, sum(sums.links),
      sum(sums.direct_settled + sums.network_settled),
      min(sums.first_link_at) filter (where sums.links > 0)
    from ledger.account_sum sums
    join ledger.campaign on campaign.campaign_id = sums.campaign_id
    group by campaign.merchant, sums.account`;
}
