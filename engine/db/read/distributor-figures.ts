import type { DiscoveryFigures } from '../../core/discovery.ts';
import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { lastSettled } from '../last-settled.ts';
import { UNKNOWN_CATEGORY } from './campaign-filters.ts';
import { changedStandings, laterNodes } from './changed.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import { productJoin } from './product-rows.ts';
import type { ReadHead, Snapshot } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/**
 * What an account did as a distributor, as of the settled block. Each sale counts once, by the
 * nearest of its levels that the account has; sales of hidden campaigns, and those whose buyer is
 * the merchant or owns a rewarded node of the path, are left out (design §7).
 */
export interface DistributorFigures extends DiscoveryFigures {
  readonly address: Address;
  readonly directSales: number;
  readonly pendingSales: number;
  /** Of the products sold, in alphabetical order. */
  readonly categories: readonly string[];
  readonly linkCount: number;
  /** Unix seconds. */
  readonly firstLinkAt: number;
}

/** The columns that a list of figures has; the ranking keeps the same. */
export interface FiguresRow {
  address: Address;
  settled: string;
  direct: string;
  refunded: string;
  reversed: string;
  pending: string;
  merchants: string;
  categories: string[];
  last_settled_at: string | null;
  links: string;
  first_link_at: string;
}

/** Settled conversions of an account in one token. */
export interface SettledValue {
  readonly token: { address: Address; symbol: string; decimals: number; name: string };
  readonly sales: number;
  /** What buyers paid and did not get back, base units. */
  readonly value: bigint;
}

/** The figures of one account, with the value of its settled conversions by token. */
export interface TrackRecordFigures extends DistributorFigures {
  /** The most settled first (tie: the lowest address), 20 at most. */
  readonly settledValues: readonly SettledValue[];
}

/** Tokens that a record tells. */
const TOKENS_MOST = 20;

interface TokenValue {
  address: Address;
  symbol: string;
  decimals: number;
  name: string;
  sales: string;
  value: string;
}

/** @returns `undefined` for an account that never joined a campaign. */
export async function distributorFigures(
  { sql, head }: Snapshot,
  address: Address,
): Promise<TrackRecordFigures | undefined> {
  const [row] = await sql<(FiguresRow & { token_values: TokenValue[] })[]>`
    with ${recordTables(sql, head, address)}, figures as (${figuresQuery(sql)})
    select figures.*, array(
      select jsonb_build_object('address', token, 'symbol', min(token_symbol),
        'decimals', min(token_decimals), 'name', min(token_name),
        'sales', sum(settled)::text, 'value', sum(settled_value)::text)
      from record where settled > 0 and shown
      group by token order by sum(settled) desc, token limit ${TOKENS_MOST}
    ) as token_values
    from figures`;
  return row && { ...figuresOf(row), settledValues: row.token_values.map(settledValueOf) };
}

/** The figures of all that own a node; the cost follows accounts and campaigns, and not sales. */
export async function allFigures({ sql, head }: Snapshot): Promise<DistributorFigures[]> {
  const rows = await sql<FiguresRow[]>`
    with ${recordTables(sql, head)} ${figuresQuery(sql)}`;
  return rows.map(figuresOf);
}

function settledValueOf({ sales, value, ...token }: TokenValue): SettledValue {
  return { token, sales: toInteger(sales), value: BigInt(value) };
}

/** Over `record`: a row for each account that owns a node. */
function figuresQuery(sql: Sql) {
  return sql`
    select account as address,
      coalesce(sum(settled) filter (where shown), 0) as settled,
      coalesce(sum(direct) filter (where shown), 0) as direct,
      coalesce(sum(refunded) filter (where shown), 0) as refunded,
      coalesce(sum(reversed) filter (where shown), 0) as reversed,
      coalesce(sum(pending) filter (where shown), 0) as pending,
      count(distinct merchant) filter (where shown and settled > 0) as merchants,
      coalesce(array_agg(distinct category collate "C" order by category collate "C")
        filter (where shown and settled > 0), '{}') as categories,
      max(last_settled_at) filter (where shown) as last_settled_at,
      sum(links) as links, min(first_link_at) as first_link_at
    from record group by account having sum(links) > 0`;
}

/**
 * For a `with`: `record` has a row for each account in each campaign, of the sums that settlement keeps
 * (0019_ranked_sums.sql), put right by what came after the settled block: the sales that `changed`, what
 * they add now and added then, `loose` by account; and the nodes that joined `later`.
 */
function recordTables(sql: Sql, head: ReadHead, address?: Address) {
  const isAccount = (column: ReturnType<Sql>) =>
    address === undefined ? sql`` : sql`and ${column} = ${address}`;
  return sql`
    own as materialized (${campaignsOf(sql, head, address)}),
    changed as materialized (${changedStandings(sql, sql`own.seq`)}),
    loose_sale as materialized (
      select changed.*, one.account, one.direct
      from changed
      -- The fence keeps it a look-up by key: the planner expects very many to have changed.
      cross join lateral (
        select account, direct from ledger.sale_account one
        where one.campaign_id = changed.campaign_id and one.sale_id = changed.sale_id
          and one.ranked ${isAccount(sql`one.account`)}
        offset 0
      ) one
    ), loose as materialized (
      select campaign_id, account,
        sum(sign) filter (where state = 'finalized') as settled,
        sum(sign * direct) filter (where state = 'finalized') as direct,
        sum(sign) filter (where state = 'refunded') as refunded,
        sum(sign) filter (where state = 'reversed') as reversed,
        sum(sign) filter (where state = 'pending') as pending,
        sum(sign * left_over) filter (where state = 'finalized') as settled_value
      from loose_sale group by campaign_id, account
    ), wanted as materialized (
      select distinct campaign_id, account, seq from loose_sale where state = 'finalized'
    ), ${lastSettled(sql)}, later as materialized (
      select own.campaign_id, node.owner as account, count(*) as links
      from own cross join lateral ${laterNodes(sql)}
      where true ${isAccount(sql`node.owner`)}
      group by own.campaign_id, node.owner
    ), record as materialized (
      select own.*, sums.account, sums.links - coalesce(later.links, 0) as links,
        case when sums.links > coalesce(later.links, 0) then sums.first_link_at end
          as first_link_at,
        sums.ranked_direct + sums.ranked_network + coalesce(loose.settled, 0) as settled,
        sums.ranked_direct + coalesce(loose.direct, 0) as direct,
        sums.ranked_refunded + coalesce(loose.refunded, 0) as refunded,
        sums.ranked_reversed + coalesce(loose.reversed, 0) as reversed,
        sums.ranked_pending + coalesce(loose.pending, 0) as pending,
        sums.ranked_value + coalesce(loose.settled_value, 0) as settled_value,
        case when looked_up.account is null then sums.last_settled_at
          else looked_up.last_settled_at end as last_settled_at
      from own
      join ledger.account_sum sums on sums.campaign_id = own.campaign_id
        ${isAccount(sql`sums.account`)}
      left join loose on loose.campaign_id = sums.campaign_id and loose.account = sums.account
      left join later on later.campaign_id = sums.campaign_id and later.account = sums.account
      left join looked_up on looked_up.campaign_id = sums.campaign_id
        and looked_up.account = sums.account
    )`;
}

/**
 * The campaigns, or those in which an account owns a node; `seq` is the newest event at or below the
 * settled block, and `shown` whether no operator hid it.
 */
function campaignsOf(sql: Sql, head: ReadHead, address?: Address) {
  return sql`
    select campaign.campaign_id, campaign.merchant, campaign.token, campaign.token_symbol,
      campaign.token_decimals, campaign.token_name, standing.seq,
      coalesce(product.category, ${UNKNOWN_CATEGORY}) as category,
      not exists (
        select 1 from commerce.moderation
        where moderation.campaign_id = campaign.campaign_id and moderation.hidden
      ) as shown
    from ${
      address === undefined
        ? sql`ledger.campaign campaign`
        : sql`(select distinct campaign_id from ledger.node where owner = ${address}) joined
            join ledger.campaign campaign using (campaign_id)`
    }
    ${joinStanding(sql, head, sql`seq`)}
    ${productJoin(sql)}`;
}

export function figuresOf(row: FiguresRow): DistributorFigures {
  return {
    address: row.address,
    settledConversions: toInteger(row.settled),
    directSales: toInteger(row.direct),
    refundedSales: toInteger(row.refunded),
    reversedSales: toInteger(row.reversed),
    pendingSales: toInteger(row.pending),
    merchantCount: toInteger(row.merchants),
    categories: row.categories,
    lastSettledAt: toIntegerOrNull(row.last_settled_at),
    linkCount: toInteger(row.links),
    firstLinkAt: toInteger(row.first_link_at),
  };
}
