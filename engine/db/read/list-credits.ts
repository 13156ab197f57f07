import type { Address } from '../../core/events.ts';
import type { Snapshot } from './snapshot.ts';

/** What an account can withdraw from a campaign after the token refused to pay it. */
export interface CreditView {
  readonly campaignId: string;
  /** Base units. */
  readonly amount: bigint;
}

/** An account's credits, the newest campaign first: one statement. */
export async function listCredits(
  { sql, head }: Snapshot,
  account: Address,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<CreditView[]> {
  const rows = await sql<{ campaign_id: string; credit_after: string }[]>`
    select campaign_id, credit_after from (
      select distinct on (campaign_id) campaign_id, credit_after from ledger.credit
      where account = ${account} and block_number <= ${head.number}
        ${after === undefined ? sql`` : sql`and campaign_id < ${after}::bigint`}
      order by campaign_id desc, seq desc
    ) newest
    where credit_after > 0 order by campaign_id desc limit ${limit}`;
  return rows.map((row) => ({ campaignId: row.campaign_id, amount: BigInt(row.credit_after) }));
}
