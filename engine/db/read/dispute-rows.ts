import type { DisputeAnswer, DisputeStatus } from '../../core/dispute.ts';
import type { DisputeRequest } from '../commerce/disputes.ts';
import type { Sql } from '../connection.ts';
import { toIntegerOrNull } from './ids.ts';
import { type SaleRow, type SaleView, saleColumns, saleJoins, saleOf } from './sale-rows.ts';
import type { ReadHead } from './snapshot.ts';

/** A dispute with its sale, as of the settled block; amounts in base units. */
export interface DisputeView {
  readonly id: string;
  readonly sale: SaleView;
  readonly reason: DisputeRequest['reason'];
  readonly answer: DisputeAnswer;
  readonly status: DisputeStatus;
  readonly requestedAmount: bigint;
  readonly acceptedAmount: bigint | null;
  /** What the sale had given back when the dispute was opened. */
  readonly refundedBefore: bigint;
  readonly declineReason: string | null;
  readonly openedAt: Date;
  readonly updatedAt: Date;
  /** When the chain closed it, unix seconds. */
  readonly closedAt: number | null;
  /** When the hold ended as of the opening, unix seconds, as text: the order of lists. */
  readonly holdUntilKey: string;
}

export interface DisputeRow extends SaleRow {
  dispute_id: string;
  reason: DisputeView['reason'];
  answer: DisputeAnswer;
  dispute_status: DisputeStatus;
  requested_amount: string;
  accepted_amount: string | null;
  refunded_before: string;
  decline_reason: string | null;
  opened_at: Date;
  dispute_updated_at: Date;
  closed_at: string | null;
  hold_until_key: string;
}

/** `disputeStatus` of the core, over `dispute`, `sale` and `past`. */
export function disputeStatusSql(sql: Sql) {
  const state = sql`coalesce(past.state, sale.state)`;
  return sql`case
    when ${state} = 'refunded'
      or coalesce(past.refunded_total, sale.refunded_total) >= ${refundGoalSql(sql)} then 'refunded'
    when ${state} = 'pending' or dispute.answer = 'declined' then dispute.answer
    else 'expired' end`;
}

/** `refundGoal` of the core. */
export function refundGoalSql(sql: Sql) {
  return sql`(dispute.refunded_before
    + coalesce(dispute.accepted_amount, dispute.requested_amount))`;
}

/**
 * `dispute` with its `sale` and all that `saleJoins` joins. A dispute whose sale a reorg took away is
 * not there until the sale is back. Ask for `ofItsMerchant` too.
 */
export function disputesWithSales(sql: Sql, head: ReadHead) {
  return sql`
    commerce.dispute dispute
    join ledger.sale sale on sale.buyer = dispute.buyer and sale.order_key = dispute.order_key
      and sale.campaign_id = dispute.campaign_id and sale.block_number <= ${head.number}
    ${saleJoins(sql, head)}`;
}

/** A condition: a reorg has not handed the campaign to another merchant. */
export function ofItsMerchant(sql: Sql) {
  return sql`campaign.merchant = dispute.merchant`;
}

export function disputeColumns(sql: Sql) {
  return sql`
    ${saleColumns(sql)}, dispute.id as dispute_id, dispute.reason, dispute.answer,
    ${disputeStatusSql(sql)} as dispute_status, dispute.requested_amount, dispute.accepted_amount,
    dispute.refunded_before, dispute.decline_reason, dispute.opened_at,
    dispute.updated_at as dispute_updated_at, dispute.hold_until as hold_until_key,
    case when ${disputeStatusSql(sql)} = 'refunded' then (
      select reached.block_timestamp from ledger.sale_version version
      join ledger.journal reached
        on reached.campaign_id = version.campaign_id and reached.seq = version.seq
      where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
        and version.seq <= newest.seq and (version.state = 'refunded'
          or version.refunded_total >= ${refundGoalSql(sql)})
      order by version.seq limit 1
    ) when past.state is null then sale.finalized_at else past.finalized_at end as closed_at`;
}

export function disputeOf(row: DisputeRow): DisputeView {
  return {
    id: row.dispute_id,
    sale: saleOf(row),
    reason: row.reason,
    answer: row.answer,
    status: row.dispute_status,
    requestedAmount: BigInt(row.requested_amount),
    acceptedAmount: row.accepted_amount === null ? null : BigInt(row.accepted_amount),
    refundedBefore: BigInt(row.refunded_before),
    declineReason: row.decline_reason,
    openedAt: row.opened_at,
    updatedAt: row.dispute_updated_at,
    closedAt: toIntegerOrNull(row.closed_at),
    holdUntilKey: row.hold_until_key,
  };
}
