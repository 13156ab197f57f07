import type { Fragment, Sql } from '../../connection.ts';

/**
 * Joins to a sale its version as of an event, as `before_change`, if a later event changed the sale;
 * otherwise `before_change` is null and the row of the sale is right.
 * @param seq sequence number of the event in the sale's campaign.
 * @param sale a relation with `campaign_id`, `sale_id` and `changed_seq`.
 */
export function joinBeforeChange(sql: Sql, seq: Fragment, sale: Fragment = sql`sale`) {
  return sql`
    left join lateral (
      select version.state, version.refunded_total, version.finalized_at
      from ledger.sale_version version
      where version.campaign_id = ${sale}.campaign_id and version.sale_id = ${sale}.sale_id
        and ${sale}.changed_seq > ${seq} and version.seq <= ${seq}
      order by version.seq desc limit 1
    ) before_change on true`;
}

/** State of `sale` as of the event of `joinBeforeChange`. */
export function saleState(sql: Sql, sale: Fragment = sql`sale`) {
  return sql`coalesce(before_change.state, ${sale}.state)`;
}

/** Base units of `sale` that were refunded as of the event of `joinBeforeChange`. */
export function saleRefunded(sql: Sql) {
  return sql`coalesce(before_change.refunded_total, sale.refunded_total)`;
}

/** Unix seconds at which `sale` was finalized, as of the event of `joinBeforeChange`; null if it was not. */
export function saleFinalizedAt(sql: Sql, sale: Fragment = sql`sale`) {
  return sql`case when before_change.state is null then ${sale}.finalized_at
    else before_change.finalized_at end`;
}
