import type { Address } from '../../../core/events.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * The ids among these of campaigns that a merchant created at or below the settled block: one statement.
 * @param campaignIds as `ledgerId` gives them.
 */
export async function campaignsOfMerchant(
  { sql, head }: Snapshot,
  merchant: Address,
  campaignIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ campaign_id: string }[]>`
    select campaign_id from ledger.campaign
    where campaign_id = any(${[...campaignIds]}::bigint[]) and merchant = ${merchant}
      and created_block <= ${head.number}`;
  return new Set(rows.map((row) => row.campaign_id));
}
