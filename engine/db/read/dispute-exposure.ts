import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import {
  disputeStatusSql,
  disputesWithSales,
  ofItsMerchant,
  refundGoalSql,
} from './dispute-rows.ts';
import { toInteger } from './ids.ts';
import { saleRewards } from './sale-rewards.ts';
import type { Snapshot } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** The open and accepted disputes of a merchant in one token; amounts in base units. */
export interface TokenExposure {
  readonly token: { address: Address; symbol: string; decimals: number; name: string };
  readonly open: number;
  readonly accepted: number;
  /** Unix seconds: when the first of their holds ends. */
  readonly nextRespondBy: number;
  /** What is still to be given back. */
  readonly requested: bigint;
  readonly rewardsAtRisk: bigint;
  /** Of all campaigns of the merchant. */
  readonly proceedsPending: bigint;
}

interface Row {
  token: Address;
  symbol: string;
  decimals: number;
  name: string;
  open: string;
  accepted: string;
  next_respond_by: string;
  requested: string;
  rewards: string;
  proceeds: string;
}

/**
 * What the open and accepted disputes of a merchant could cost, by token, the largest first: one
 * statement. A token may name itself anew: the newest campaign's word holds.
 */
export async function disputeExposure(
  { sql, head }: Snapshot,
  merchant: Address,
): Promise<TokenExposure[]> {
  const rows = await sql<Row[]>`
    with waiting as (
      select campaign.token, sale.hold_until, ${disputeStatusSql(sql)} as status,
        ${refundGoalSql(sql)} - coalesce(past.refunded_total, sale.refunded_total) as requested,
        ${saleRewards(sql)} as rewards
      from ${disputesWithSales(sql, head)}
      where dispute.merchant = ${merchant} and ${ofItsMerchant(sql)}
        and dispute.answer <> 'declined' and ${disputeStatusSql(sql)} in ('open', 'accepted')
    ),
    summed as (
      select token, count(*) filter (where status = 'open') as open,
        count(*) filter (where status = 'accepted') as accepted,
        min(hold_until) as next_respond_by, sum(requested) as requested, sum(rewards) as rewards
      from waiting group by token
    )
    select summed.*, campaigns.symbol, campaigns.decimals, campaigns.name, campaigns.proceeds
    from summed cross join lateral (
      select sum(standing.proceeds_pending) as proceeds,
        (array_agg(campaign.token_symbol order by campaign.campaign_id desc))[1] as symbol,
        (array_agg(campaign.token_decimals order by campaign.campaign_id desc))[1] as decimals,
        (array_agg(campaign.token_name order by campaign.campaign_id desc))[1] as name
      from ledger.campaign campaign ${joinStanding(sql, head, sql`proceeds_pending`)}
      where campaign.merchant = ${merchant} and campaign.token = summed.token
        and campaign.created_block <= ${head.number}
    ) campaigns
    order by summed.requested desc, summed.token`;
  return rows.map((row) => ({
    token: { address: row.token, symbol: row.symbol, decimals: row.decimals, name: row.name },
    open: toInteger(row.open),
    accepted: toInteger(row.accepted),
    nextRespondBy: toInteger(row.next_respond_by),
    requested: BigInt(row.requested),
    rewardsAtRisk: BigInt(row.rewards),
    proceedsPending: BigInt(row.proceeds),
  }));
}

/**
 * Those of these sales whose refund somebody waits for: their dispute is open or accepted, and the
 * sale pending, in the newest rows of the ledger. For whoever finalizes sales by itself.
 */
export async function salesUnderDispute(
  sql: Sql,
  saleIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ sale_id: string }[]>`
    select sale.sale_id from ledger.sale sale
    join commerce.dispute dispute on dispute.buyer = sale.buyer
      and dispute.order_key = sale.order_key and dispute.campaign_id = sale.campaign_id
    where sale.sale_id = any(${[...saleIds]}::bigint[]) and sale.state = 'pending'
      and dispute.answer <> 'declined' and sale.refunded_total < ${refundGoalSql(sql)}`;
  return new Set(rows.map(({ sale_id }) => sale_id));
}
