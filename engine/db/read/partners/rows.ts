import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { heldLevels } from '../../held-levels.ts';
import { hexText } from '../../hex.ts';
import { fence } from '../../planner.ts';
import {
  amount,
  as,
  byteAddress,
  integer,
  nullable,
  optional,
  rowCodec,
  seconds,
  text,
  type View,
} from '../../row.ts';
import { bucketFields } from '../../rows/account.ts';
import { newestMovement } from '../as-of/balance.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { accountsMovedLater, laterNodes, saleCorrections } from '../corrections.ts';
import { changedLevels } from '../earnings/held.ts';
import type { ReadHead } from '../snapshot.ts';

/** The campaigns whose partners are read: all of a merchant, or one of them. */
export interface PartnerScope {
  readonly merchant: Address;
  readonly campaignId?: string | undefined;
  /** The token of values and rewards; `null` if there is no campaign, and so no partner. */
  readonly token: Address | null;
}

/** Row codec of `PartnerView`. */
export const partnerRow = rowCodec({
  account: byteAddress,
  profile: optional({
    visibility: as<'public' | 'pseudonymous'>(),
    handle: nullable(text),
    displayName: nullable(text),
  }),
  links: integer,
  firstLinkAt: seconds,
  /** Sales of which it has a rewarded level, each counted once: as direct if that is level 1. */
  sales: { direct: integer.from('direct'), network: integer.from('network') },
  /** The sales that were finalized and not reversed. */
  settled: { direct: integer.from('direct_settled'), network: integer.from('network_settled') },
  /** Value of the settled sales less refunds, base units of the token. */
  settledValue: amount,
  /** Base units of the token. */
  rewards: { ...bucketFields, readyToFinalize: amount.from('ready') },
});

/** An account with links in campaigns of a merchant, as of the settled block. */
export type PartnerView = View<typeof partnerRow>;

/** The right side of a condition `account = …`: one account, or `any(…)`; all accounts without it. */
export type Accounts = Address | Fragment | undefined;

/** The accounts that a table of the statement has in its column `account`. */
export function accountsIn(sql: Sql, table: string): Fragment {
  return sql`any(array(select account from ${sql(table)}))`;
}

/**
 * For a `with`: `as_of` has the campaigns of the scope, with their newest event at or below the settled block
 * as `seq`. What came after it: `correction` has the sales that changed, `delta` what they change in the totals
 * of each account, `later_node` the nodes that joined, and `balance` the holdings before later movements.
 */
export function correctionTables(
  sql: Sql,
  head: ReadHead,
  scope: PartnerScope,
  accounts: Accounts = undefined,
) {
  return sql`${scopeTables(sql, head, scope, accounts)}, ${balanceTable(sql, accounts)}`;
}

/**
 * For a `with`, after `correctionTables`: `partner` has a row for each of the accounts that has links, from the
 * totals and balances that settlement stores, corrected by what came after the settled block. Counts include
 * all tokens, amounts only the token of the scope. The cost depends on the number of accounts, not of sales.
 */
export function partnerTables(sql: Sql, head: ReadHead, accounts: Accounts) {
  return sql`
    ${readyTables(sql, head, accounts)},
    by_campaign as materialized (
      select as_of.campaign_id, as_of.counts, sums.account,
        sums.links - coalesce(later_node.links, 0) as links,
        case when sums.links > coalesce(later_node.links, 0) then sums.first_link_at end
          as first_link_at,
        case when later_node.account is null then sums.last_link_at else later_node.last_link_at end
          as last_link_at,
        sums.direct + coalesce(delta.direct, 0) as direct,
        sums.network + coalesce(delta.network, 0) as network,
        sums.direct_settled + coalesce(delta.direct_settled, 0) as direct_settled,
        sums.network_settled + coalesce(delta.network_settled, 0) as network_settled,
        sums.settled_value + coalesce(delta.settled_value, 0) as settled_value,
        coalesce(balance.reserved_after, bucket.at_risk + bucket.ready_to_finalize) as reserved,
        coalesce(balance.claimable_after, bucket.claimable) as claimable,
        coalesce(balance.claimed_after, bucket.claimed) as claimed,
        coalesce(balance.refunded_after, bucket.refunded) as refunded,
        coalesce(balance.reversed_after, bucket.reversed) as reversed,
        coalesce(bucket.ready_to_finalize, 0) + coalesce(due.amount, 0)
          + coalesce(changed_level.ready, 0) as ready
      from as_of
      join ledger.account_sum sums on sums.campaign_id = as_of.campaign_id
        ${ofAccounts(sql, 'sums.account', accounts)}
      left join later_node on later_node.campaign_id = sums.campaign_id and later_node.account = sums.account
      left join delta on delta.campaign_id = sums.campaign_id and delta.account = sums.account
      left join ledger.bucket on bucket.campaign_id = sums.campaign_id
        and bucket.account = sums.account
      left join balance on balance.campaign_id = sums.campaign_id and balance.account = sums.account
      left join due on due.campaign_id = sums.campaign_id and due.account = sums.account
      left join changed_level on changed_level.campaign_id = sums.campaign_id and changed_level.account = sums.account
    ), partner as materialized (
      select member.*, profile.handle, profile.display_name, profile.visibility
      from (
        select account, sum(links) as links, min(first_link_at) as first_link_at,
          max(last_link_at) as last_link_at, sum(direct) as direct, sum(network) as network,
          sum(direct_settled) as direct_settled, sum(network_settled) as network_settled,
          ${counted(sql, 'settled_value')}, ${counted(sql, 'reserved - ready', 'at_risk')},
          ${counted(sql, 'ready')}, ${counted(sql, 'claimable')}, ${counted(sql, 'claimed')},
          ${counted(sql, 'refunded')}, ${counted(sql, 'reversed')}
        from by_campaign group by account having sum(links) > 0
      ) member
      left join commerce.distributor profile
        on profile.address = ${hexText(sql, sql`member.account`)}
    )`;
}

/** The sum of an amount over the campaigns in the token of the scope. */
function counted(sql: Sql, amount: string, name = amount) {
  return sql.unsafe(`coalesce(sum(${amount}) filter (where counts), 0) as ${name}`);
}

/** The condition that a column is one of the accounts, to begin with `and`. */
export function ofAccounts(sql: Sql, column: string, accounts: Accounts) {
  return accounts === undefined ? sql`` : sql`and ${sql.unsafe(column)} = ${accounts}`;
}

function scopeTables(sql: Sql, head: ReadHead, scope: PartnerScope, accounts: Accounts) {
  const { merchant, campaignId, token } = scope;
  return sql`
    as_of as materialized (
      select campaign.campaign_id, campaign.token = ${token}::text as counts, campaign_state.seq,
        cursor.seq > campaign_state.seq as ahead, cursor.clock
      from ledger.campaign campaign
      join ledger.cursor on cursor.campaign_id = campaign.campaign_id
      ${joinCampaignState(sql, head, sql`seq`)}
      where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}
    ), correction as materialized (${saleCorrections(sql, sql`as_of.counts`)}), delta as (
      select correction.campaign_id, level.account,
        sum(sign) filter (where nearest = 1) as direct,
        sum(sign) filter (where nearest > 1) as network,
        sum(sign) filter (where nearest = 1 and state = 'finalized') as direct_settled,
        sum(sign) filter (where nearest > 1 and state = 'finalized') as network_settled,
        sum(sign * remaining) filter (where state = 'finalized') as settled_value
      from correction
      cross join lateral (
        select recipient as account, min(level.level) as nearest from ledger.sale_level level
        where level.campaign_id = correction.campaign_id and level.sale_id = correction.sale_id
          ${ofAccounts(sql, 'level.recipient', accounts)}
        group by recipient
      ) level
      group by correction.campaign_id, level.account
    ), later_node as (
      select joined.*, newest.block_timestamp as last_link_at
      from (
        select as_of.campaign_id, as_of.seq, node.owner as account, count(*) as links
        from as_of cross join lateral ${laterNodes(sql)}
        where true ${ofAccounts(sql, 'node.owner', accounts)}
        group by as_of.campaign_id, as_of.seq, node.owner
      ) joined
      left join lateral (
        select node.block_timestamp from ledger.node
        where node.owner = joined.account and node.campaign_id = joined.campaign_id
          and node.seq <= joined.seq
        order by node.node_id desc limit 1
      ) newest on true
    )`;
}

function balanceTable(sql: Sql, accounts: Accounts) {
  const touched = {
    campaignId: sql`touched.campaign_id`,
    account: sql`touched.account`,
    seq: sql`touched.seq`,
  };
  return sql`
    balance as (
      select touched.campaign_id, touched.account,
        coalesce(newest.reserved_after, 0) as reserved_after,
        coalesce(newest.claimable_after, 0) as claimable_after,
        coalesce(newest.claimed_after, 0) as claimed_after,
        coalesce(newest.refunded_after, 0) as refunded_after,
        coalesce(newest.reversed_after, 0) as reversed_after
      from (
        select distinct as_of.campaign_id, as_of.seq, moved.account
        from as_of cross join lateral ${accountsMovedLater(sql)}
        where as_of.counts ${ofAccounts(sql, 'moved.account', accounts)}
      ) touched
      left join lateral ${newestMovement(sql, touched)} newest on true
    )`;
}

/**
 * Corrects the part of the reserve that is ready to finalize from the clock of the rows to the time of the settled
 * block (`due`), and for the levels of sales that later events changed (`changed_level`).
 */
function readyTables(sql: Sql, { timestamp }: ReadHead, accounts: Accounts) {
  const ready = (held: string) =>
    sql`coalesce(sum(${sql.unsafe(held)}) filter (where hold_until <= ${timestamp}), 0)`;
  const passed = heldLevels(sql, {
    campaignId: sql`as_of.campaign_id`,
    holds: sql`hold_until > least(as_of.clock, ${timestamp}::bigint)
      and hold_until <= greatest(as_of.clock, ${timestamp}::bigint)`,
    recipient: accounts,
  });
  return sql`
    due as (
      select as_of.campaign_id, level.recipient as account,
        sum(case when as_of.clock <= ${timestamp} then level.reserved else -level.reserved end)
          as amount
      from as_of
      cross join lateral (${passed} ${fence(sql)}) level
      where as_of.counts
      group by as_of.campaign_id, level.recipient
    ), changed_level as (
      select campaign_id, account, ${ready('held_before')} - ${ready('held_now')} as ready
      from (${changedLevels(sql, accounts)}) level
      group by campaign_id, account
    )`;
}
