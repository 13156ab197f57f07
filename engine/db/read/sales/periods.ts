import type { TimeRange } from '../../../core/analytics.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { fence } from '../../planner.ts';
import { saleFinalizedAt } from '../as-of/sale.ts';
import { MAX_SEQ } from '../corrections.ts';

/** Condition on `sale`: it was recorded in the period. */
export function recordedIn(sql: Sql, { from, to }: TimeRange) {
  return sql`sale.block_timestamp >= ${from}::bigint and sale.block_timestamp < ${to}::bigint`;
}

/**
 * Condition on `sale` with its `before_change`: it was finalized in the period. It reads only the
 * finalizations of that period, by `journal_moved`.
 * @param campaignId campaign of the sale.
 * @param seq newest event of the campaign at the block read.
 */
export function finalizedIn(sql: Sql, period: TimeRange, campaignId: Fragment, seq: Fragment) {
  const { first, end } = eventsOf(sql, period, campaignId);
  const at = saleFinalizedAt(sql);
  return sql`sale.sale_id = any(array(
    select event.sale_id from ledger.journal event
    where event.campaign_id = ${campaignId} and event.name = 'SaleFinalized'
      and event.seq >= ${first} and event.seq < ${end} and event.seq <= ${seq}
  )) and ${at} >= ${period.from}::bigint and ${at} < ${period.to}::bigint`;
}

/**
 * Condition on `sale`: its newest event at the block read is of the period. It reads the sales that were
 * last changed in the period, and those that changed after the block, by `sale_changed`.
 * @param campaignId campaign of the sale.
 * @param seq newest event of the campaign at the block read.
 */
export function changedIn(sql: Sql, period: TimeRange, campaignId: Fragment, seq: Fragment) {
  const { first, end } = eventsOf(sql, period, campaignId);
  return sql`sale.sale_id = any(array(
    select changed.sale_id from ledger.sale changed
    where changed.campaign_id = ${campaignId} and changed.changed_seq >= ${first}
      and changed.changed_seq < ${end} and changed.changed_seq <= ${seq}
    union all
    select later.sale_id from (
      select again.sale_id, (
        select max(event.seq) from ledger.journal event
        where event.campaign_id = ${campaignId} and event.sale_id = again.sale_id
          and event.seq <= ${seq}
      ) as newest
      from ledger.sale again
      where again.campaign_id = ${campaignId} and again.changed_seq > ${seq}
        and again.changed_seq <= ${MAX_SEQ}::bigint ${fence(sql)}
    ) later where later.newest >= ${first} and later.newest < ${end}
  ))`;
}

/** Sequence numbers of the events of a period: from `first` to before `end`. */
function eventsOf(sql: Sql, { from, to }: TimeRange, campaignId: Fragment) {
  return { first: firstSince(sql, from, campaignId), end: firstSince(sql, to, campaignId) };
}

/**
 * Sequence number of the first event of a campaign at or after a time, or a number above all. No index has
 * the events by time, but `sale_time` has the sales: the event follows the last sale before that time.
 */
function firstSince(sql: Sql, time: number, campaignId: Fragment) {
  return sql`coalesce((
    select event.seq from ledger.journal event
    where event.campaign_id = ${campaignId} and event.block_timestamp >= ${time}::bigint
      and event.seq > coalesce((
        select sold.seq from ledger.sale sold
        where sold.campaign_id = ${campaignId} and sold.block_timestamp < ${time}::bigint
        order by sold.block_timestamp desc, sold.sale_id desc limit 1
      ), 0)
    order by event.seq limit 1
  ), ${MAX_SEQ}::bigint)`;
}
