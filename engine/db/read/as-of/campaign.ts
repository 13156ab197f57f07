import type { Fragment, Sql } from '../../connection.ts';
import type { AsOf } from '../one-read.ts';

/**
 * The newest event of a campaign at or below the block, as a subquery of one row of `journal`, or of
 * none: one index probe.
 * @param columns of `journal`; with `seq` alone, only the index is read.
 */
export function newestEvent(
  sql: Sql,
  at: Pick<AsOf, 'number'>,
  campaignId: string | Fragment,
  columns: Fragment = sql`*`,
) {
  return sql`(
    select ${columns} from ledger.journal
    where campaign_id = ${campaignId} and block_number <= ${at.number}
    order by block_number desc, seq desc limit 1
  )`;
}

/**
 * Joins to `campaign` its state as of the block, as `campaign_state`: the row of `journal` of its newest
 * event. A campaign without such an event is left out.
 * @param columns of `journal`; with `seq` alone, only the index is read.
 */
export function joinCampaignState(sql: Sql, at: Pick<AsOf, 'number'>, columns?: Fragment) {
  return sql`
    join lateral ${newestEvent(sql, at, sql`campaign.campaign_id`, columns)} campaign_state on true`;
}

/**
 * The policy in effect at the time of the block, as a subquery of one row of `policy`, or of none, for a
 * `campaign` with its `campaign_state`.
 */
export function policyInEffect(sql: Sql, at: Pick<AsOf, 'timestamp'>) {
  return sql`(
    select * from ledger.policy
    where campaign_id = campaign.campaign_id and seq <= campaign_state.seq
      and effective_at <= ${at.timestamp}
    order by version desc limit 1
  )`;
}

/** Joins to `campaign` and its `campaign_state` the policy in effect, as `policy`. */
export function joinPolicy(sql: Sql, at: Pick<AsOf, 'timestamp'>) {
  return sql`join lateral ${policyInEffect(sql, at)} policy on true`;
}
