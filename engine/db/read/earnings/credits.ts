import type { Address } from '../../../core/events.ts';
import { amount, id, rowCodec, type StoredRow, type View } from '../../row.ts';
import type { Snapshot } from '../snapshot.ts';

const creditView = rowCodec({ campaignId: id, amount: amount.from('credit_after') });

/** Amount that an account can withdraw from a campaign after the token refused a payment, in base units. */
export type CreditView = View<typeof creditView>;

/** An account's credits, the newest campaign first: one statement. */
export async function listCredits(
  { sql, head }: Snapshot,
  account: Address,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<CreditView[]> {
  const rows = await sql<StoredRow[]>`
    select campaign_id, credit_after from (
      select distinct on (campaign_id) campaign_id, credit_after from ledger.credit
      where account = ${account} and block_number <= ${head.number}
        ${after === undefined ? sql`` : sql`and campaign_id < ${after}::bigint`}
      order by campaign_id desc, seq desc
    ) newest
    where credit_after > 0 order by campaign_id desc limit ${limit}`;
  return rows.map(creditView.decode);
}
