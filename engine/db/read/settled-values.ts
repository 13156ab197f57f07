import type { Address } from '../../core/events.ts';
import type { TokenAmount } from './merchant-stake.ts';
import { saleStandings } from './sale-standings.ts';
import type { Snapshot } from './snapshot.ts';

/** Tokens that are told: anybody may create campaigns in any. */
const TOKENS_MOST = 50;

/**
 * What a merchant sold and keeps, of the sales that were finalized from `from` on and before `to`,
 * unix seconds: their amounts less refunds, by token, the reversed ones left out. One statement.
 */
export async function settledValues(
  { sql, head }: Snapshot,
  merchant: Address,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<TokenAmount[]> {
  const rows = await sql<
    { token: Address; symbol: string; decimals: number; name: string; settled: string }[]
  >`
    with sold as (${saleStandings(sql, head, sql`campaign.merchant = ${merchant}`)})
    select campaign.token,
      (array_agg(campaign.token_symbol order by campaign.campaign_id desc))[1] as symbol,
      (array_agg(campaign.token_decimals order by campaign.campaign_id desc))[1] as decimals,
      (array_agg(campaign.token_name order by campaign.campaign_id desc))[1] as name,
      sum(sold.amount - sold.refunded_total) as settled
    from sold join ledger.campaign campaign on campaign.campaign_id = sold.campaign_id
    where sold.state = 'finalized' and sold.finalized_at >= ${from} and sold.finalized_at < ${to}
    group by campaign.token order by count(*) desc, campaign.token limit ${TOKENS_MOST}`;
  return rows.map(({ token, symbol, decimals, name, settled }) => ({
    token: { address: token, symbol, decimals, name },
    amount: BigInt(settled),
  }));
}
