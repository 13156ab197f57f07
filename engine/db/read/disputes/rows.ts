import type { DisputeAnswer, DisputeStatus } from '../../../core/dispute.ts';
import type { Sql } from '../../connection.ts';
import { hexBytes } from '../../hex.ts';
import { amount, as, date, id, nullable, rowCodec, seconds, text, type View } from '../../row.ts';
import type { DisputeRequest } from '../../rows/commerce.ts';
import { saleFinalizedAt, saleRefunded, saleState } from '../as-of/sale.ts';
import { joinSale, newestSeq, saleColumns, saleView } from '../sales/rows.ts';
import type { ReadHead } from '../snapshot.ts';

/** Row codec of `DisputeView`. */
export const disputeView = rowCodec({
  id: text.from('dispute_id'),
  sale: saleView.fields,
  reason: as<DisputeRequest['reason']>(),
  answer: as<DisputeAnswer>(),
  status: as<DisputeStatus>().from('dispute_status'),
  requestedAmount: amount,
  acceptedAmount: nullable(amount),
  /** Amount of the sale that was refunded when the dispute was opened. */
  refundedBefore: amount,
  declineReason: nullable(text),
  /** When the buyer opened it, or opened it again. */
  openedAt: date,
  updatedAt: date.from('dispute_updated_at'),
  /** When the chain closed it, unix seconds. */
  closedAt: nullable(seconds),
  /** When the hold ended as of the opening, unix seconds, as text: the order of a merchant's list. */
  holdUntilKey: id,
  /** When it was opened, microseconds since 1970, as text: the order of a buyer's list. */
  openedAtKey: id,
});

/** A dispute with its sale, as of the settled block; amounts in base units. */
export type DisputeView = View<typeof disputeView>;

/** `disputeStatus` of the core as SQL, over `dispute` and a `sale` as of a block. */
export function disputeStatusSql(sql: Sql) {
  const state = saleState(sql);
  return sql`case
    when ${state} = 'refunded'
      or ${saleRefunded(sql)} >= ${refundGoalSql(sql)} then 'refunded'
    when ${state} = 'pending' or dispute.answer in ('declined', 'withdrawn') then dispute.answer
    else 'expired' end`;
}

/** A condition on `dispute`: the buyer waits for the merchant to answer, or for the refund. */
export function isAwaited(sql: Sql) {
  return sql`dispute.answer in ('open', 'accepted')`;
}

/** `refundGoal` of the core as SQL, over `dispute`. */
export function refundGoalSql(sql: Sql) {
  return sql`(dispute.refunded_before
    + coalesce(dispute.accepted_amount, dispute.requested_amount))`;
}

/**
 * `dispute` with its `sale` and all that `joinSale` joins. A dispute whose sale a reorg removed is left out
 * until the sale is back. Use it together with the condition `ofItsMerchant`.
 */
export function disputesWithSales(sql: Sql, head: ReadHead) {
  return sql`
    commerce.dispute dispute
    join ledger.sale sale on sale.buyer = ${hexBytes(sql, sql`dispute.buyer`)}
      and sale.order_key = ${hexBytes(sql, sql`dispute.order_key`)}
      and sale.campaign_id = dispute.campaign_id and sale.block_number <= ${head.number}
    ${joinSale(sql, head)}`;
}

/** A condition: no reorg has given the id of the campaign to another merchant. */
export function ofItsMerchant(sql: Sql) {
  return sql`campaign.merchant = dispute.merchant`;
}

/** Columns of `disputeView`, of what `disputesWithSales` joins. */
export function disputeColumns(sql: Sql) {
  return sql`
    ${saleColumns(sql)}, dispute.id as dispute_id, dispute.reason, dispute.answer,
    ${disputeStatusSql(sql)} as dispute_status, dispute.requested_amount, dispute.accepted_amount,
    dispute.refunded_before, dispute.decline_reason, dispute.opened_at,
    dispute.updated_at as dispute_updated_at, dispute.hold_until as hold_until_key,
    (extract(epoch from dispute.opened_at) * 1000000)::bigint as opened_at_key,
    case when ${disputeStatusSql(sql)} = 'refunded' then (
      select reached.block_timestamp from ledger.sale_version version
      join ledger.journal reached
        on reached.campaign_id = version.campaign_id and reached.seq = version.seq
      where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
        and version.seq <= ${newestSeq(sql)} and (version.state = 'refunded'
          or version.refunded_total >= ${refundGoalSql(sql)})
      order by version.seq limit 1
    ) else ${saleFinalizedAt(sql)} end as closed_at`;
}
