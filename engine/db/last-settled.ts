import type { Sql } from './connection.ts';
import { fence } from './planner.ts';

/** Newest finalizations of a campaign that are searched for all accounts together. */
const MAX_SEARCHED = 1_000;

/**
 * When the newest ranked sale of accounts was finalized, of those that were finalized and not reversed
 * as of an event (`account_sum.last_settled_at`, 0019_ranked_sums.sql). A maximum cannot be subtracted as
 * a sum can, so it is looked up if a rollback or a reversal removes a sale, and if a read is as
 * of an earlier event. Events of a campaign are in the order of their times: who is in the newest
 * finalizations is found there, and only of others each sale is read.
 * @returns for a `with`, after `wanted` (campaign_id, account, seq), which has one `seq` a campaign:
 * `looked_up` has a row for each of its rows, `last_settled_at` being null without such a sale.
 */
export function lastSettled(sql: Sql) {
  return sql`
    looked_through as materialized (
      select place.campaign_id, ranked_level.account, max(ranked_level.finalized_at) as finalized_at
      from (select distinct campaign_id, seq from wanted) place
      cross join lateral (
        select journal.sale_id from ledger.journal
        where journal.campaign_id = place.campaign_id and journal.name = 'SaleFinalized'
          and journal.seq <= place.seq
        order by journal.seq desc limit ${MAX_SEARCHED}::int
      ) ended
      cross join lateral ${rankedLevels(sql, sql`place.campaign_id`, sql`ended.sale_id`, sql`place.seq`)}
      group by place.campaign_id, ranked_level.account
    ), looked_up as (
      select wanted.campaign_id, wanted.account,
        coalesce(newest.finalized_at, older.finalized_at) as last_settled_at
      from wanted
      left join looked_through newest on newest.campaign_id = wanted.campaign_id
        and newest.account = wanted.account
      left join lateral (
        select max(ranked_level.finalized_at) as finalized_at from ledger.sale_level level
        cross join lateral ${rankedLevels(sql, sql`level.campaign_id`, sql`level.sale_id`, sql`wanted.seq`)}
        where newest.finalized_at is null and level.recipient = wanted.account
          and level.campaign_id = wanted.campaign_id and ranked_level.account = wanted.account
      ) older on true
    )`;
}

/**
 * The accounts of a ranked sale that was finalized as of an event, with its time; for a lateral join.
 */
function rankedLevels(
  sql: Sql,
  campaignId: ReturnType<Sql>,
  saleId: ReturnType<Sql>,
  seq: ReturnType<Sql>,
) {
  return sql`(
    select one.account, version.finalized_at
    from (
      select state, finalized_at from ledger.sale_version
      where campaign_id = ${campaignId} and sale_id = ${saleId} and seq <= ${seq}
      order by seq desc limit 1
    ) version
    join ledger.sale_account one
      on one.campaign_id = ${campaignId} and one.sale_id = ${saleId} and one.ranked
    where version.state = 'finalized'
    ${fence(sql)}
  ) ranked_level`;
}
