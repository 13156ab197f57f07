import type { Address } from '../../../core/events.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * The merchants of those among the campaigns that exist at the settled block, by campaign id: one statement.
 * @param campaignIds as `ledgerId` gives them.
 */
export async function merchantsOf(
  { sql, head }: Snapshot,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, Address>> {
  const rows = await sql<{ campaign_id: string; merchant: Address }[]>`
    select campaign_id, merchant from ledger.campaign
    where campaign_id = any(${[...campaignIds]}::bigint[]) and created_block <= ${head.number}`;
  return new Map(rows.map((row) => [row.campaign_id, row.merchant]));
}
