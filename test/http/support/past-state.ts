import type { Fragment, Sql } from '../../../engine/db/connection.ts';

/**
 * Joins the state of `sale` as of an event of its campaign, as `past`, from all its states in the order of their events: the
 * first one, and those that later events gave it.
 */
export function joinPastState(sql: Sql, seq: Fragment) {
  return sql`
    cross join lateral (
      select known.state, known.refunded_total, known.finalized_at from (
        select 0::bigint as seq, 'pending' as state, 0::numeric as refunded_total,
          null::bigint as finalized_at
        union all
        select version.seq, version.state, version.refunded_total, version.finalized_at
        from ledger.sale_version version
        where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
      ) known
      where known.seq <= ${seq} order by known.seq desc limit 1
    ) past`;
}
