import type { Fragment, Sql } from '../connection.ts';
import { lastSettled } from '../last-settled.ts';
import { type Keys, keysTable, withSales } from './keys.ts';

/** Above every seq: as of the newest event. */
const LAST_SEQ = '9223372036854775807';

/** An account in a campaign. */
interface CampaignAccount {
  readonly campaign_id: string;
  readonly account: string;
}

/**
 * The accounts whose newest settled sale is one of these sales, which are to be rolled back. To ask
 * before they are.
 */
export async function settledNewestBy(
  sql: Sql,
  all: readonly Keys[],
): Promise<readonly CampaignAccount[]> {
  const sales = withSales(all);
  if (sales.length === 0) return [];
  return await sql<CampaignAccount[]>`${settledLastBy(sql, sales)}`;
}

/** Looks up anew when the newest sale of these accounts was settled; the rows are rolled back. */
export async function restoreLastSettled(
  sql: Sql,
  accounts: readonly CampaignAccount[],
): Promise<void> {
  if (accounts.length === 0) return;
  await lookUpLastSettled(
    sql,
    sql`
    select campaign_id, account from unnest(
      ${accounts.map((one) => one.campaign_id)}::bigint[], ${accounts.map((one) => one.account)}::text[]
    ) as known (campaign_id, account)`,
  );
}

/**
 * The same of the accounts whose newest settled sale was one of these, which were reversed; their rows
 * are written. Sent where it is called.
 */
export async function takeBackLastSettled(sql: Sql, reversed: readonly Keys[]): Promise<void> {
  const sales = withSales(reversed);
  if (sales.length === 0) return;
  await lookUpLastSettled(sql, settledLastBy(sql, sales));
}

function settledLastBy(sql: Sql, sales: readonly Keys[]): Fragment {
  return sql`
    select distinct kept.campaign_id, kept.account from ${keysTable(sql, sales)}
    cross join lateral (
      select sale_id, finalized_at from ledger.sale
      where campaign_id = named.campaign_id and sale_id = any(named.sales) offset 0
    ) sale
    cross join lateral (
      select recipient from ledger.sale_level
      where campaign_id = named.campaign_id and sale_id = sale.sale_id offset 0
    ) level
    cross join lateral (
      select campaign_id, account from ledger.account_sum
      where campaign_id = named.campaign_id and account = level.recipient
        and last_settled_at = sale.finalized_at
      offset 0
    ) kept`;
}

/** Of accounts that a fragment selects: campaign_id, account. */
async function lookUpLastSettled(sql: Sql, accounts: Fragment): Promise<void> {
  await sql`
    with wanted as materialized (
      select campaign_id, account, ${LAST_SEQ}::bigint as seq from (${accounts}) of_campaigns
    ), ${lastSettled(sql)}
    update ledger.account_sum kept set last_settled_at = looked_up.last_settled_at
    from looked_up
    where kept.campaign_id = looked_up.campaign_id and kept.account = looked_up.account`.execute();
}
