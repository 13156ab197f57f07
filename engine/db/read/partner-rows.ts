import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { RewardBuckets } from './earnings.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import type { ReadHead } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** Whose partners: those of all campaigns of a merchant, or of one of them. */
export interface PartnerScope {
  readonly merchant: Address;
  readonly campaignId?: string | undefined;
  /** This account alone. */
  readonly account?: Address | undefined;
  /** The token of values and rewards; `null` where there is no campaign, and so no partner. */
  readonly token: Address | null;
}

/** An account with links in campaigns of a merchant, as of the settled block; times in unix seconds. */
export interface PartnerView {
  readonly account: Address;
  readonly profile: PartnerProfile | null;
  readonly links: number;
  readonly firstLinkAt: number;
  /** Sales of which it has a rewarded level, each once, by the nearest: 1 is direct. */
  readonly sales: { readonly direct: number; readonly network: number };
  /** Those of them that were finalized and not reversed. */
  readonly settled: { readonly direct: number; readonly network: number };
  /** Of the settled ones, base units of the token. */
  readonly settledValue: bigint;
  readonly rewards: RewardBuckets;
  readonly lastSaleAt: number | null;
}

export interface PartnerProfile {
  readonly handle: string | null;
  readonly displayName: string | null;
  readonly visibility: 'public' | 'pseudonymous';
}

export interface PartnerRow {
  account: Address;
  handle: string | null;
  display_name: string | null;
  visibility: 'public' | 'pseudonymous' | null;
  links: string;
  first_link_at: string;
  direct: string;
  network: string;
  direct_settled: string;
  network_settled: string;
  settled_value: string;
  at_risk: string;
  ready: string;
  claimable: string;
  claimed: string;
  refunded: string;
  reversed: string;
  last_sale_at: string | null;
}

/** How each goes into JSON (`jsonRows`). */
export const partnerKinds = {
  account: 'is',
  handle: 'is',
  display_name: 'is',
  visibility: 'is',
  links: 'text',
  first_link_at: 'text',
  direct: 'text',
  network: 'text',
  direct_settled: 'text',
  network_settled: 'text',
  settled_value: 'text',
  at_risk: 'text',
  ready: 'text',
  claimable: 'text',
  claimed: 'text',
  refunded: 'text',
  reversed: 'text',
  last_sale_at: 'text',
} as const;

/**
 * For a `with`: `partner` has a row for each account of the scope. Counts are over all tokens, amounts
 * of the one token. `own_sale` has each sale of an account once, `own_level` all its levels.
 */
export function partnerTables(sql: Sql, head: ReadHead, scope: PartnerScope) {
  const { token } = scope;
  return sql`
    ${scopeTable(sql, head, scope)}, ${levelTable(sql, scope)},
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
        select account, sum(links) as links, min(first_link_at) as first_link_at,
          max(last_link_at) as last_link_at
        from joined group by account
      ) member
      left join commerce.distributor profile on profile.address = member.account
      left join sold using (account)
      left join held using (account)
      left join balance using (account)
    )`;
}

/** The campaigns, `seq` being their newest event at or below the settled block; and who joined. */
function scopeTable(sql: Sql, head: ReadHead, { merchant, campaignId, account }: PartnerScope) {
  return sql`
    scope as materialized (
      select campaign.campaign_id, campaign.token, standing.seq
      from ledger.campaign campaign
      ${joinStanding(sql, head, sql`seq`)}
      where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}
    ), joined as materialized (
      select node.campaign_id, node.owner as account, count(*) as links,
        min(node.block_timestamp) as first_link_at, max(node.block_timestamp) as last_link_at
      from scope
      join ledger.node node on node.campaign_id = scope.campaign_id and node.seq <= scope.seq
      ${account === undefined ? sql`` : sql`where node.owner = ${account}`}
      group by node.campaign_id, node.owner
    )`;
}

/**
 * Every rewarded level of their sales. The rows hold the newest standing; of a sale that an event after
 * the settled block changed, it is the version before, and the sum of its entries until then.
 */
function levelTable(sql: Sql, { account }: PartnerScope) {
  return sql`
    own_level as materialized (
      select level.recipient as account, sale.campaign_id, sale.sale_id, level.level, scope.token,
        level.hold_until, sale.block_timestamp, coalesce(past.state, sale.state) as state,
        sale.amount - coalesce(past.refunded_total, sale.refunded_total) as value,
        case when sale.changed_seq > scope.seq then coalesce(moved.held, level.share)
          else level.reserved end as held,
        case when sale.changed_seq > scope.seq then moved.vested - moved.reversed
          else level.vested - level.reversed end as earned
      from scope
      join ledger.sale sale on sale.campaign_id = scope.campaign_id and sale.seq <= scope.seq
      join ledger.sale_level level
        on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
      left join lateral (
        select state, refunded_total from ledger.sale_version version
        where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
          and sale.changed_seq > scope.seq and version.seq <= scope.seq
        order by version.seq desc limit 1
      ) past on true
      left join lateral (
        select coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
          coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
          (array_agg(held_after order by entry.seq desc, ordinal desc))[1] as held
        from ledger.entry
        where sale.changed_seq > scope.seq
          and entry.campaign_id = sale.campaign_id and entry.sale_id = sale.sale_id
          and entry.level = level.level and entry.seq <= scope.seq
      ) moved on true
      ${account === undefined ? sql`` : sql`where level.recipient = ${account}`}
    )`;
}

export function partnerOf(row: PartnerRow): PartnerView {
  const { handle, display_name: displayName, visibility } = row;
  return {
    account: row.account,
    profile: visibility === null ? null : { handle, displayName, visibility },
    links: toInteger(row.links),
    firstLinkAt: toInteger(row.first_link_at),
    sales: { direct: toInteger(row.direct), network: toInteger(row.network) },
    settled: { direct: toInteger(row.direct_settled), network: toInteger(row.network_settled) },
    settledValue: BigInt(row.settled_value),
    rewards: {
      atRisk: BigInt(row.at_risk),
      readyToFinalize: BigInt(row.ready),
      claimable: BigInt(row.claimable),
      claimed: BigInt(row.claimed),
      refunded: BigInt(row.refunded),
      reversed: BigInt(row.reversed),
    },
    lastSaleAt: toIntegerOrNull(row.last_sale_at),
  };
}
