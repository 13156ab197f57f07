import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { changedStandings, laterEntries, laterNodes } from './changed.ts';
import { movedLevels } from './earned-held.ts';
import type { RewardBuckets } from './earnings.ts';
import { toInteger } from './ids.ts';
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
} as const;

/**
 * For a `with`: `partner` has a row for each account of the scope, of the sums and balances that
 * settlement keeps, put right by what came after the settled block. Counts are over all tokens, amounts
 * of the one token. The cost follows accounts, and not their sales.
 */
export function partnerTables(sql: Sql, head: ReadHead, scope: PartnerScope) {
  return sql`
    ${scopeTables(sql, head, scope)}, ${reserveTables(sql, head, scope)},
    by_campaign as materialized (
      select own.campaign_id, own.counts, sums.account,
        sums.links - coalesce(later.links, 0) as links,
        case when sums.links > coalesce(later.links, 0) then sums.first_link_at end
          as first_link_at,
        case when later.account is null then sums.last_link_at else later.last_link_at end
          as last_link_at,
        sums.direct + coalesce(loose.direct, 0) as direct,
        sums.network + coalesce(loose.network, 0) as network,
        sums.direct_settled + coalesce(loose.direct_settled, 0) as direct_settled,
        sums.network_settled + coalesce(loose.network_settled, 0) as network_settled,
        sums.settled_value + coalesce(loose.settled_value, 0) as settled_value,
        coalesce(past.reserved_after, bucket.at_risk + bucket.ready_to_finalize) as reserved,
        coalesce(past.claimable_after, bucket.claimable) as claimable,
        coalesce(past.claimed_after, bucket.claimed) as claimed,
        coalesce(past.refunded_after, bucket.refunded) as refunded,
        coalesce(past.reversed_after, bucket.reversed) as reversed,
        coalesce(bucket.ready_to_finalize, 0) + coalesce(due.amount, 0)
          + coalesce(moved.ready, 0) as ready
      from own
      join ledger.account_sum sums on sums.campaign_id = own.campaign_id
        ${ofAccount(sql, 'sums.account', scope)}
      left join later on later.campaign_id = sums.campaign_id and later.account = sums.account
      left join loose on loose.campaign_id = sums.campaign_id and loose.account = sums.account
      left join ledger.bucket on bucket.campaign_id = sums.campaign_id
        and bucket.account = sums.account
      left join past on past.campaign_id = sums.campaign_id and past.account = sums.account
      left join due on due.campaign_id = sums.campaign_id and due.account = sums.account
      left join moved on moved.campaign_id = sums.campaign_id and moved.account = sums.account
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
      left join commerce.distributor profile on profile.address = member.account
    )`;
}

/** The sum of an amount where it is in the one token. */
function counted(sql: Sql, amount: string, name = amount) {
  return sql.unsafe(`coalesce(sum(${amount}) filter (where counts), 0) as ${name}`);
}

function ofAccount(sql: Sql, column: string, { account }: PartnerScope) {
  return account === undefined ? sql`` : sql`and ${sql.unsafe(column)} = ${account}`;
}

/**
 * The campaigns, `seq` being their newest event at or below the settled block; and what came after it:
 * `changed` sales, with what they add now and added then; `loose` the same by account; the nodes that
 * joined `later`.
 */
function scopeTables(sql: Sql, head: ReadHead, scope: PartnerScope) {
  const { merchant, campaignId, token } = scope;
  return sql`
    own as materialized (
      select campaign.campaign_id, campaign.token = ${token}::text as counts, standing.seq,
        cursor.seq > standing.seq as ahead, cursor.clock
      from ledger.campaign campaign
      join ledger.cursor on cursor.campaign_id = campaign.campaign_id
      ${joinStanding(sql, head, sql`seq`)}
      where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
        ${campaignId === undefined ? sql`` : sql`and campaign.campaign_id = ${campaignId}`}
    ), changed as materialized (${changedStandings(sql, sql`own.counts`)}), loose as (
      select changed.campaign_id, level.account,
        sum(sign) filter (where nearest = 1) as direct,
        sum(sign) filter (where nearest > 1) as network,
        sum(sign) filter (where nearest = 1 and state = 'finalized') as direct_settled,
        sum(sign) filter (where nearest > 1 and state = 'finalized') as network_settled,
        sum(sign * left_over) filter (where state = 'finalized') as settled_value
      from changed
      cross join lateral (
        select recipient as account, min(level.level) as nearest from ledger.sale_level level
        where level.campaign_id = changed.campaign_id and level.sale_id = changed.sale_id
          ${ofAccount(sql, 'level.recipient', scope)}
        group by recipient
      ) level
      group by changed.campaign_id, level.account
    ), later as (
      select joined.*, newest.block_timestamp as last_link_at
      from (
        select own.campaign_id, own.seq, node.owner as account, count(*) as links
        from own cross join lateral ${laterNodes(sql)}
        where true ${ofAccount(sql, 'node.owner', scope)}
        group by own.campaign_id, own.seq, node.owner
      ) joined
      left join lateral (
        select node.block_timestamp from ledger.node
        where node.owner = joined.account and node.campaign_id = joined.campaign_id
          and node.seq <= joined.seq
        order by node.node_id desc limit 1
      ) newest on true
    )`;
}

/**
 * What accounts held at the settled block where their buckets say otherwise: `past` balances, where an
 * entry came after it; and of what was ready to finalize, what fell `due` between the clock of the rows
 * and that of the block, and what levels `moved` by later events held then.
 */
function reserveTables(sql: Sql, { timestamp }: ReadHead, scope: PartnerScope) {
  const ready = (held: string) =>
    sql`coalesce(sum(${sql.unsafe(held)}) filter (where hold_until <= ${timestamp}), 0)`;
  return sql`
    past as (
      select touched.campaign_id, touched.account,
        coalesce(newest.reserved_after, 0) as reserved_after,
        coalesce(newest.claimable_after, 0) as claimable_after,
        coalesce(newest.claimed_after, 0) as claimed_after,
        coalesce(newest.refunded_after, 0) as refunded_after,
        coalesce(newest.reversed_after, 0) as reversed_after
      from (
        select distinct own.campaign_id, own.seq, entry.account
        from own cross join lateral ${laterEntries(sql)}
        where own.counts ${ofAccount(sql, 'entry.account', scope)}
      ) touched
      left join lateral (
        select * from ledger.entry
        where entry.campaign_id = touched.campaign_id and entry.account = touched.account
          and entry.seq <= touched.seq
        order by entry.seq desc, entry.ordinal desc limit 1
      ) newest on true
    ), due as (
      select own.campaign_id, level.recipient as account,
        sum(case when own.clock <= ${timestamp} then level.reserved else -level.reserved end)
          as amount
      from own
      cross join lateral (
        select level.recipient, level.reserved from ledger.sale_level level
        where level.campaign_id = own.campaign_id and level.reserved <> 0
          and level.hold_until > least(own.clock, ${timestamp}::bigint)
          and level.hold_until <= greatest(own.clock, ${timestamp}::bigint)
          ${ofAccount(sql, 'level.recipient', scope)}
        offset 0
      ) level
      where own.counts
      group by own.campaign_id, level.recipient
    ), moved as (
      select campaign_id, account, ${ready('held_then')} - ${ready('held_now')} as ready
      from (${movedLevels(sql, scope.account)}) level
      group by campaign_id, account
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
  };
}
