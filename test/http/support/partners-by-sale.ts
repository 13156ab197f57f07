import { createHash } from 'node:crypto';
import type { Address } from '../../../engine/core/events.ts';
import type { Sql } from '../../../engine/db/connection.ts';
import { hexText } from '../../../engine/db/hex.ts';
import { toInteger } from '../../../engine/db/ids.ts';
import { joinCampaignState } from '../../../engine/db/read/as-of/campaign.ts';
import { type PartnerDay, partnerDay } from '../../../engine/db/read/partners/days.ts';
import { type PartnerFilters, sellingPartnerRow } from '../../../engine/db/read/partners/list.ts';
import type { PartnerScope, PartnerView } from '../../../engine/db/read/partners/rows.ts';
import type { PartnerSort } from '../../../engine/db/read/partners/sort-keys.ts';
import type { ReadHead, Snapshot } from '../../../engine/db/read/snapshot.ts';
import type { StoredRow } from '../../../engine/db/row.ts';
import { joinPastState } from './past-state.ts';

/** All partners of a scope that the filters match, in no order, and their days. */
export interface PartnersBySale {
  readonly partners: readonly (PartnerView & { readonly lastSaleAt: number | null })[];
  readonly days: readonly PartnerDay[];
}

/** The partners, computed from the levels of their sales: the totals must agree with them. */
export async function partnersBySale(
  { sql, head }: Snapshot,
  scope: PartnerScope,
  filters: PartnerFilters,
): Promise<PartnersBySale> {
  const matching = sql`
    with ${partnerTables(sql, head, scope)},
    matched as materialized (select * from partner where ${matches(sql, filters)})`;
  const [partners, days] = await Promise.all([
    sql<StoredRow[]>`${matching} select * from matched`,
    sql<StoredRow[]>`
      ${matching}, sale as (
        select distinct campaign_id, sale_id, token, state, value, block_timestamp
        from own_sale join matched using (account)
      ), happened as (
        select block_timestamp / 86400 as day, (state = 'pending')::int as pending,
          (state in ('finalized', 'reversed'))::int as finalized,
          (state = 'refunded')::int as refunded,
          case when state = 'finalized' and token = ${scope.token} then value else 0 end as value,
          0 as rewards, 0 as links
        from sale
        union all
        select block_timestamp / 86400, 0, 0, 0, 0, earned, 0
        from own_level join matched using (account)
        where state = 'finalized' and token = ${scope.token}
        union all
        select node.block_timestamp / 86400, 0, 0, 0, 0, 0, 1
        from scope
        join ledger.node node on node.campaign_id = scope.campaign_id and node.seq <= scope.seq
        join matched on matched.account = node.owner
      )
      select day, sum(pending) as pending, sum(finalized) as finalized,
        sum(refunded) as refunded, sum(value) as value, sum(rewards) as rewards,
        sum(links) as links
      from happened group by day order by day`,
  ]);
  return {
    partners: partners.map(sellingPartnerRow.decode),
    days: days.map(partnerDay.decode),
  };
}

/** What partners are sorted by, higher first; then comes what distinguishs ties, the lower first. */
export function decodeCursor(
  { account, settled, settledValue, rewards, firstLinkAt, lastLinkAt }: Sortable,
  sort: PartnerSort,
  secret: string,
): { readonly key: bigint; readonly tie: string } {
  const { atRisk, readyToFinalize, claimable, claimed } = rewards;
  const key = {
    sales: BigInt(settled.direct + settled.network),
    value: settledValue,
    rewards: atRisk + readyToFinalize + claimable + claimed,
    firstLink: BigInt(firstLinkAt),
    lastLink: BigInt(lastLinkAt),
  }[sort];
  return {
    key,
    tie: createHash('sha256')
      .update(secret + account)
      .digest('hex'),
  };
}

type Sortable = PartnerView & { readonly lastLinkAt: number };

/** When each account's newest node of a scope joined, unix seconds. */
export async function lastLinks(
  { sql, head }: Snapshot,
  scope: PartnerScope,
): Promise<ReadonlyMap<Address, number>> {
  const rows = await sql<{ account: Address; last: string }[]>`
    with ${scopeTable(sql, head, scope)}
    select account, max(last_link_at) as last from joined group by account`;
  return new Map(rows.map(({ account, last }) => [account, toInteger(last)]));
}

function matches(sql: Sql, { q, active }: PartnerFilters) {
  const settled = sql`partner.direct_settled + partner.network_settled > 0`;
  const beginning = `${q ?? ''}%`;
  return sql`true
    ${active === undefined ? sql`` : sql`and (${settled}) = ${active}`}
    ${
      q === undefined
        ? sql``
        : sql`and coalesce(partner.visibility, 'public') = 'public' and (
            ${hexText(sql, sql`partner.account`)} like ${beginning} or partner.handle like ${beginning}
            or lower(partner.display_name) like ${beginning}
          )`
    }`;
}

function partnerTables(sql: Sql, head: ReadHead, scope: PartnerScope) {
  const { token } = scope;
  return sql`
    ${scopeTable(sql, head, scope)}, ${levelTable(sql)},
    own_sale as materialized (
      select account, campaign_id, sale_id, token, min(level) as level, min(state) as state,
        min(value) as value, min(block_timestamp) as block_timestamp
      from own_level group by account, campaign_id, sale_id, token
    ), sold as (
      select account, max(block_timestamp) as last_sale_at,
        count(*) filter (where level = 1) as direct,
        count(*) filter (where level > 1) as network,
        count(*) filter (where level = 1 and state = 'finalized') as direct_settled,
        count(*) filter (where level > 1 and state = 'finalized') as network_settled,
        sum(value) filter (where state = 'finalized' and token = ${token}) as settled_value
      from own_sale group by account
    ), held as (
      select account, sum(held) filter (where hold_until > ${head.timestamp}) as at_risk,
        sum(held) filter (where hold_until <= ${head.timestamp}) as ready
      from own_level where token = ${token} group by account
    ), balance as (
      select joined.account, sum(newest.claimable_after) as claimable,
        sum(newest.claimed_after) as claimed, sum(newest.refunded_after) as refunded,
        sum(newest.reversed_after) as reversed
      from joined
      join scope on scope.campaign_id = joined.campaign_id and scope.token = ${token}
      join lateral (
        select * from ledger.entry
        where entry.campaign_id = joined.campaign_id and entry.account = joined.account
          and entry.seq <= scope.seq
        order by entry.seq desc, entry.ordinal desc limit 1
      ) newest on true
      group by joined.account
    ), partner as materialized (
      select member.*, profile.handle, profile.display_name, profile.visibility,
        coalesce(sold.direct, 0) as direct, coalesce(sold.network, 0) as network,
        coalesce(sold.direct_settled, 0) as direct_settled,
        coalesce(sold.network_settled, 0) as network_settled,
        coalesce(sold.settled_value, 0) as settled_value, sold.last_sale_at,
        coalesce(held.at_risk, 0) as at_risk, coalesce(held.ready, 0) as ready,
        coalesce(balance.claimable, 0) as claimable, coalesce(balance.claimed, 0) as claimed,
        coalesce(balance.refunded, 0) as refunded, coalesce(balance.reversed, 0) as reversed
      from (
        select account, sum(links) as links, min(first_link_at) as first_link_at
        from joined group by account
      ) member
      left join commerce.distributor profile on profile.address = ${hexText(sql, sql`member.account`)}
      left join sold using (account)
      left join held using (account)
      left join balance using (account)
    )`;
}

function scopeTable(sql: Sql, head: ReadHead, { merchant, campaignId }: PartnerScope) {
  return sql`
    scope as materialized (
      select campaign.campaign_id, campaign.token, campaign_state.seq
      from ledger.campaign campaign
      ${joinCampaignState(sql, head, sql`seq`)}
      where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}
    ), joined as materialized (
      select node.campaign_id, node.owner as account, count(*) as links,
        min(node.block_timestamp) as first_link_at, max(node.block_timestamp) as last_link_at
      from scope
      join ledger.node node on node.campaign_id = scope.campaign_id and node.seq <= scope.seq
      group by node.campaign_id, node.owner
    )`;
}

function levelTable(sql: Sql) {
  return sql`
    own_level as materialized (
      select level.recipient as account, sale.campaign_id, sale.sale_id, level.level, scope.token,
        sale.hold_until, sale.block_timestamp, past.state,
        sale.amount - past.refunded_total as value,
        case when sale.changed_seq > scope.seq then coalesce(level_before.held, level.share)
          else level.reserved end as held,
        case when sale.changed_seq > scope.seq then level_before.vested - level_before.reversed
          else level.vested - level.reversed end as earned
      from scope
      join ledger.sale sale on sale.campaign_id = scope.campaign_id and sale.seq <= scope.seq
      join ledger.sale_level level
        on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
      ${joinPastState(sql, sql`scope.seq`)}
      left join lateral (
        select coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
          coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
          (array_agg(held_after order by entry.seq desc, ordinal desc))[1] as held
        from ledger.entry
        where sale.changed_seq > scope.seq
          and entry.campaign_id = sale.campaign_id and entry.sale_id = sale.sale_id
          and entry.level = level.level and entry.seq <= scope.seq
      ) level_before on true
    )`;
}
