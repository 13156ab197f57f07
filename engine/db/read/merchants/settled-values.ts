import type { Address } from '../../../core/events.ts';
import type { StoredRow } from '../../row.ts';
import { salesAsOf } from '../sales/states.ts';
import type { Snapshot } from '../snapshot.ts';
import { tokenWords } from '../tokens.ts';
import { type TokenAmount, tokenAmount } from './stake.ts';

/** Maximum number of tokens in a response: anybody can create campaigns in any token. */
const MAX_TOKENS = 50;

/**
 * Value of a merchant's sales that were finalized from `from` to before `to`, in unix seconds: their amounts
 * less refunds by token, without reversed sales. One statement.
 */
export async function settledValues(
  { sql, head }: Snapshot,
  merchant: Address,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<TokenAmount[]> {
  const rows = await sql<StoredRow[]>`
    with sold as (${salesAsOf(sql, head, sql`campaign.merchant = ${merchant}`)})
    select campaign.token,
      ${tokenWords(sql)},
      sum(sold.amount - sold.refunded_total) as amount
    from sold join ledger.campaign campaign on campaign.campaign_id = sold.campaign_id
    where sold.state = 'finalized' and sold.finalized_at >= ${from} and sold.finalized_at < ${to}
    group by campaign.token order by count(*) desc, campaign.token limit ${MAX_TOKENS}`;
  return rows.map(tokenAmount.decode);
}
