import { FIRST_STATE } from '../../../core/fold/index.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { fence } from '../../planner.ts';
import type { EventAt } from './balance.ts';

/** A sale as of an event of its campaign. */
interface SaleAt extends EventAt {
  readonly saleId: string | Fragment;
}

/**
 * State, refunded total and time of the finalization of a sale as of an event, as a select of one row: those of its newest
 * version, or `FIRST_STATE`, which has no row in `ledger.sale_version`. One index probe.
 * @param condition if it is false, the select has no row and reads nothing.
 */
export function stateAt(sql: Sql, at: SaleAt, condition: Fragment = sql`true`) {
  const { state, refundedTotal } = FIRST_STATE;
  return sql`
    select coalesce(version.state, ${sql.unsafe(`'${state}'`)}) as state,
      coalesce(version.refunded_total, ${sql.unsafe(`${refundedTotal}`)}) as refunded_total,
      version.finalized_at
    from (select) recorded
    left join lateral (
      select version.state, version.refunded_total, version.finalized_at
      from ledger.sale_version version
      where version.campaign_id = ${at.campaignId} and version.sale_id = ${at.saleId}
        and version.seq <= ${at.seq}
      order by version.seq desc limit 1
    ) version on true
    where ${condition} ${fence(sql)}`;
}

/**
 * Joins to a sale its state as of an event, as `before_change`, if a later event changed the sale; otherwise
 * `before_change` is null and the row of the sale is right.
 * @param seq sequence number of the event in the sale's campaign.
 * @param sale a relation with `campaign_id`, `sale_id` and `changed_seq`.
 */
export function joinBeforeChange(sql: Sql, seq: Fragment, sale: Fragment = sql`sale`) {
  const at = { campaignId: sql`${sale}.campaign_id`, saleId: sql`${sale}.sale_id`, seq };
  return sql`
    left join lateral (${stateAt(sql, at, sql`${sale}.changed_seq > ${seq}`)}) before_change on true`;
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
