import type { Address } from '../../../core/events.ts';
import { amount, integer, rowCodec, type StoredRow, seconds, type View } from '../../row.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { saleRefunded } from '../as-of/sale.ts';
import { saleRewards } from '../sales/rewards.ts';
import type { Snapshot } from '../snapshot.ts';
import { tokenView, tokenWords } from '../tokens.ts';
import {
  disputeStatusSql,
  disputesWithSales,
  isAwaited,
  ofItsMerchant,
  refundGoalSql,
} from './rows.ts';

const tokenExposure = rowCodec({
  token: tokenView.fields,
  open: integer,
  accepted: integer,
  /** When the first of their holds ends. */
  nextRespondBy: seconds,
  /** Amount still to be refunded. */
  requested: amount,
  rewardsAtRisk: amount.from('rewards'),
  /** Pending proceeds of all campaigns of the merchant. */
  proceedsPending: amount.from('proceeds'),
});

/** The open and accepted disputes of a merchant in one token; amounts in base units. */
export type TokenExposure = View<typeof tokenExposure>;

/**
 * Possible cost of the open and accepted disputes of a merchant by token, the largest amount first: one
 * statement.
 */
export async function disputeExposure(
  { sql, head }: Snapshot,
  merchant: Address,
): Promise<TokenExposure[]> {
  const rows = await sql<StoredRow[]>`
    with waiting as (
      select campaign.token, sale.hold_until, ${disputeStatusSql(sql)} as status,
        ${refundGoalSql(sql)} - ${saleRefunded(sql)} as requested,
        ${saleRewards(sql)} as rewards
      from ${disputesWithSales(sql, head)}
      where dispute.merchant = ${merchant} and ${ofItsMerchant(sql)}
        and ${isAwaited(sql)} and ${disputeStatusSql(sql)} in ('open', 'accepted')
    ),
    summed as (
      select token, count(*) filter (where status = 'open') as open,
        count(*) filter (where status = 'accepted') as accepted,
        min(hold_until) as next_respond_by, sum(requested) as requested, sum(rewards) as rewards
      from waiting group by token
    )
    select summed.*, campaigns.symbol, campaigns.decimals, campaigns.name, campaigns.proceeds
    from summed cross join lateral (
      select sum(campaign_state.proceeds_pending) as proceeds,
        ${tokenWords(sql)}
      from ledger.campaign campaign ${joinCampaignState(sql, head, sql`proceeds_pending`)}
      where campaign.merchant = ${merchant} and campaign.token = summed.token
        and campaign.created_block <= ${head.number}
    ) campaigns
    order by summed.requested desc, summed.token`;
  return rows.map(tokenExposure.decode);
}
