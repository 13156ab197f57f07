import type { Fragment, Sql } from '../connection.ts';
import { lastSettled } from '../last-settled.ts';

/** Above every seq: as of the newest event. */
const LAST_SEQ = '9223372036854775807';

/**
 * The accounts whose newest settled sale is one of these sales of a campaign, which are to be rolled back.
 * To ask before they are.
 */
export async function settledNewestBy(
  sql: Sql,
  campaignId: string,
  saleIds: readonly string[],
): Promise<string[]> {
  if (saleIds.length === 0) return [];
  const rows = await sql<{ account: string }[]>`
    ${settledLastBy(sql, campaignId, saleIds)}`;
  return rows.map(({ account }) => account);
}

/** Looks up anew when the newest sale of these accounts was settled; the rows are rolled back. */
export async function restoreLastSettled(
  sql: Sql,
  campaignId: string,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return;
  await lookUpLastSettled(
    sql,
    campaignId,
    sql`
    select account from unnest(${[...accounts]}::text[]) known (account)`,
  );
}

/**
 * The same of the accounts whose newest settled sale was one of these, which were reversed; their rows
 * are written. Sent where it is called.
 */
export async function takeBackLastSettled(
  sql: Sql,
  campaignId: string,
  reversedIds: readonly string[],
): Promise<void> {
  if (reversedIds.length === 0) return;
  await lookUpLastSettled(sql, campaignId, settledLastBy(sql, campaignId, reversedIds));
}

/** The fences keep them look-ups by key, also by a plan that was made while the ledger was empty. */
function settledLastBy(sql: Sql, campaignId: string, saleIds: readonly string[]): Fragment {
  return sql`
    select distinct level.recipient as account from ledger.sale
    cross join lateral (
      select recipient from ledger.sale_level
      where campaign_id = sale.campaign_id and sale_id = sale.sale_id
      offset 0
    ) level
    cross join lateral (
      select last_settled_at from ledger.account_sum
      where campaign_id = sale.campaign_id and account = level.recipient
      offset 0
    ) kept
    where sale.campaign_id = ${campaignId} and sale.sale_id = any(${[...saleIds]}::bigint[])
      and kept.last_settled_at = sale.finalized_at`;
}

/** Of accounts that a fragment selects. */
async function lookUpLastSettled(sql: Sql, campaignId: string, accounts: Fragment): Promise<void> {
  await sql`
    with wanted as materialized (
      select ${campaignId}::bigint as campaign_id, account, ${LAST_SEQ}::bigint as seq
      from (${accounts}) named
    ), ${lastSettled(sql)}
    update ledger.account_sum kept set last_settled_at = looked_up.last_settled_at
    from looked_up
    where kept.campaign_id = looked_up.campaign_id and kept.account = looked_up.account`.execute();
}
