import type { Fragment, Sql } from '../connection.ts';
import { lastSettled } from '../last-settled.ts';
import { fence } from '../planner.ts';
import { eachSale, type Keys, keysTable, withSales } from './keys.ts';
import { unnestSql } from './statements.ts';

/** A sequence number above all others: the newest event. */
const LAST_SEQ = '9223372036854775807';

/** An account in a campaign. */
interface CampaignAccount {
  readonly campaign_id: string;
  readonly account: string;
}

/** Reads the accounts whose newest settled sale is one of these sales. Call it before they are rolled back. */
export async function settledNewestBy(
  sql: Sql,
  all: readonly Keys[],
): Promise<readonly CampaignAccount[]> {
  const sales = withSales(all);
  if (sales.length === 0) return [];
  return await sql<CampaignAccount[]>`${settledLastBy(sql, sales)}`;
}

/** Reads again when the newest sale of these accounts was settled. Call it after the rollback of the rows. */
export async function restoreLastSettled(
  sql: Sql,
  accounts: readonly CampaignAccount[],
): Promise<void> {
  if (accounts.length === 0) return;
  await updateLastSettled(
    sql,
    sql`
    select campaign_id, account
    from ${unnestSql(sql, 'known', { campaign_id: 'bigint', account: 'bytea' }, accounts)}`,
  );
}

/**
 * Reads again when the newest sale was settled of each account whose newest settled sale is one of these
 * reversed ones. Call it after their rows are written; it is sent immediately.
 */
export async function restoreAfterReversal(sql: Sql, reversed: readonly Keys[]): Promise<void> {
  const sales = withSales(reversed);
  if (sales.length === 0) return;
  await updateLastSettled(sql, settledLastBy(sql, sales));
}

function settledLastBy(sql: Sql, sales: readonly Keys[]): Fragment {
  return sql`
    select distinct sums.campaign_id, sums.account from ${keysTable(sql, sales)}
    cross join lateral ${eachSale(sql)}
    cross join lateral (
      select sale_id, finalized_at from ledger.sale
      where campaign_id = named.campaign_id and sale_id = sold.sale_id ${fence(sql)}
    ) sale
    cross join lateral (
      select recipient from ledger.sale_level
      where campaign_id = named.campaign_id and sale_id = sale.sale_id ${fence(sql)}
    ) level
    cross join lateral (
      select campaign_id, account from ledger.account_sum
      where campaign_id = named.campaign_id and account = level.recipient
        and last_settled_at = sale.finalized_at
      ${fence(sql)}
    ) sums`;
}

/** Updates `last_settled_at` of the accounts that a fragment selects (campaign_id, account). */
async function updateLastSettled(sql: Sql, accounts: Fragment): Promise<void> {
  await sql`
    with wanted as materialized (
      select campaign_id, account, ${LAST_SEQ}::bigint as seq from (${accounts}) of_campaigns
    ), ${lastSettled(sql)}
    update ledger.account_sum sums set last_settled_at = looked_up.last_settled_at
    from looked_up
    where sums.campaign_id = looked_up.campaign_id and sums.account = looked_up.account`.execute();
}
