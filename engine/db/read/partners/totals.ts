import type { Fragment, Sql } from '../../connection.ts';
import { fence } from '../../planner.ts';
import { accountsIn, type PartnerScope } from './rows.ts';
import { type PartnerSort, sortKeyTable } from './sort-keys.ts';

/** Columns of `ledger.merchant_partner`. */
interface StoredKey {
  /** The sort key. */
  readonly key: string;
  /** The sort key or a number at or below it that grows with it; in the order of an index. */
  readonly order: string;
}

/** The columns of each sort that is read by an index. */
const storedKeys: Partial<Record<PartnerSort, StoredKey>> = {
  sales: { key: 'settled', order: 'settled_class' },
  firstLink: { key: 'first_link_at', order: 'first_link_at' },
};

/** The stored columns of a list of all of a merchant's partners; `undefined` if its keys are to be computed. */
export function storedKeyOf(
  { campaignId }: PartnerScope,
  { sort, isFiltered }: { readonly sort: PartnerSort; readonly isFiltered: boolean },
): StoredKey | undefined {
  return campaignId === undefined && !isFiltered ? storedKeys[sort] : undefined;
}

/** The page to read from the stored totals. */
export interface StoredPage {
  readonly sort: PartnerSort;
  readonly stored: StoredKey;
  /** Sort key of the cursor, decimal digits; `undefined` for the first page. */
  readonly from: string | undefined;
  /** The condition that a row follows the cursor, to begin with `and`; empty for the first page. */
  readonly following: Fragment;
  readonly rows: number;
}

/**
 * For a `with`, after `correctionTables`: `candidate` has the accounts of the page with their sort keys, and
 * others; `counted` has the number of partners.
 *
 * The stored totals include what came after the settled block. `touched` has every account for which that
 * makes a difference: those with a level of a sale that a later event recorded or changed, those with a node
 * that joined later, and those with totals in a campaign that did not exist yet. For any other account each of
 * its campaigns has the same totals now as then, and so the stored sum is the one to show. The keys of `touched`
 * accounts are computed, all of them. So `candidate` is the union of the first `rows` of the others, with ties,
 * and of all touched accounts, and the first `rows` of both together are among them: whatever the corrections
 * are, and however far settlement is ahead.
 *
 * The others are read in the order of a number that can be the same for different keys. Ties of that number are
 * read too, so that whatever is not read has a smaller number, and so a smaller key, than `rows` accounts.
 */
export function storedTables(
  sql: Sql,
  { merchant }: PartnerScope,
  { sort, stored, from, following, rows }: StoredPage,
) {
  const order = sql.unsafe(stored.order);
  const untouched = sql`
    stored.merchant = ${merchant} and stored.links > 0
      and stored.account not in (select account from touched)`;
  return sql`
    touched as materialized (
      select account from delta
      union select account from later_node
      union (
        select sums.account from (
          select campaign.campaign_id from ledger.campaign
          where campaign.merchant = ${merchant}
            and campaign.campaign_id not in (select campaign_id from as_of)
          ${fence(sql)}
        ) later_campaign
        cross join lateral (
          select account from ledger.account_sum
          where account_sum.campaign_id = later_campaign.campaign_id ${fence(sql)}
        ) sums
      )
    ), ${sortKeyTable(sql, sort, accountsIn(sql, 'touched'))},
    candidate as materialized (
      (
        select account, ${sql.unsafe(stored.key)} as sort_key from ledger.merchant_partner stored
        where ${untouched} ${following}
          ${from === undefined ? sql`` : sql`and ${order} <= ${withinBigint(from)}::bigint`}
        order by ${order} desc fetch first ${sql.unsafe(String(rows))} rows with ties
      )
      union all
      select account, sort_key from sort_key_of
    ), counted as (
      select (select count(*) from ledger.merchant_partner stored where ${untouched})
        + (select count(*) from sort_key_of) as partners
    )`;
}

const MAX_BIGINT = 2n ** 63n - 1n;

/** The nearest number that a bigint of PostgreSQL can be, so that an index compares with it. */
function withinBigint(digits: string): string {
  const value = BigInt(digits);
  if (value > MAX_BIGINT) return MAX_BIGINT.toString();
  return value < -MAX_BIGINT ? (-MAX_BIGINT).toString() : digits;
}
