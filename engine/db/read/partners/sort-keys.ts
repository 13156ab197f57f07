import type { Sql } from '../../connection.ts';
import { type Accounts, ofAccounts } from './rows.ts';

/** Sort order of a list of partners, highest first. */
export type PartnerSort = 'sales' | 'value' | 'rewards' | 'firstLink' | 'lastLink';

/**
 * For a `with`, after `correctionTables`: `sort_key_of` has a row for each of the accounts that has links, with
 * its number of settled sales and its sort key, as of the settled block. It adds up only what the sort and the
 * filters need. The end of a hold changes no key: rewards include the whole reserve.
 */
export function sortKeyTable(sql: Sql, sort: PartnerSort, accounts: Accounts = undefined) {
  const { key, total } = keys(sql, sort);
  return sql`
    sort_key_of as materialized (
      select account, sum(settled) as settled, ${total} as sort_key
      from (
        select sums.account, sums.links - coalesce(later_node.links, 0) as links,
          sums.direct_settled + sums.network_settled
            + coalesce(delta.direct_settled, 0) + coalesce(delta.network_settled, 0) as settled,
          ${key} as key
        from as_of
        join ledger.account_sum sums on sums.campaign_id = as_of.campaign_id
          ${ofAccounts(sql, 'sums.account', accounts)}
        left join later_node on later_node.campaign_id = sums.campaign_id
          and later_node.account = sums.account
        left join delta on delta.campaign_id = sums.campaign_id and delta.account = sums.account
        ${sort === 'rewards' ? balances(sql) : sql``}
      ) each
      group by account having sum(links) > 0
    )`;
}

function balances(sql: Sql) {
  return sql`
    left join ledger.bucket on as_of.counts and bucket.campaign_id = sums.campaign_id
      and bucket.account = sums.account
    left join balance on balance.campaign_id = sums.campaign_id and balance.account = sums.account`;
}

/** The key of a row in one campaign, and that of the account. */
function keys(sql: Sql, sort: PartnerSort) {
  const ofToken = sql`coalesce(sum(key), 0)`;
  switch (sort) {
    case 'sales':
      return { key: sql`0`, total: sql`sum(settled)` };
    case 'value':
      return {
        key: sql`case when as_of.counts
          then sums.settled_value + coalesce(delta.settled_value, 0) end`,
        total: ofToken,
      };
    case 'rewards':
      return {
        key: sql`case when balance.account is null
          then bucket.at_risk + bucket.ready_to_finalize + bucket.claimable + bucket.claimed
          else balance.reserved_after + balance.claimable_after + balance.claimed_after end`,
        total: ofToken,
      };
    case 'firstLink':
      return {
        key: sql`case when sums.links > coalesce(later_node.links, 0) then sums.first_link_at end`,
        total: sql`min(key)`,
      };
    case 'lastLink':
      return {
        key: sql`case when later_node.account is null then sums.last_link_at
          else later_node.last_link_at end`,
        total: sql`max(key)`,
      };
  }
}
