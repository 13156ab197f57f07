import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { planForParameters, planOnce } from '../../planner.ts';
import {
  address,
  amount,
  as,
  id,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  text,
  type View,
} from '../../row.ts';
import { bucketFields } from '../../rows/account.ts';
import type { NamedFragments } from '../../sql.ts';
import { newestMovement } from '../as-of/balance.ts';
import type { AsOf, OneRead } from '../one-read.ts';
import type { Snapshot } from '../snapshot.ts';
import { type Earner, earnerCampaigns } from './earner-campaigns.ts';
import { heldFromBalances, heldFromLevels } from './held.ts';

const earnings = rowCodec({
  /** The account's rewards by state (docs/reference/protocol.md#state), base units. */
  rewards: { ...bucketFields, readyToFinalize: amount.from('ready') },
  /** Rewards lost to caps, base units. */
  missed: amount,
  /** Number of sales of which it has a level. */
  conversions: integer,
});

/** Earnings of an account in one campaign or in one token, as of the settled block. */
export type EarningsTotals = View<typeof earnings>;

/** Rewards by state, base units. */
export type RewardBuckets = EarningsTotals['rewards'];

/** The block that earnings are as of; `past` if it can be far below the newest rows. */
interface EarningsAt {
  readonly at: AsOf;
  readonly past: boolean;
}

/**
 * The earnings in each campaign of `as_of`, as fragments for a `with` that end in `earned_in`. Reserved
 * amounts are divided by whether their hold is over at the time of the settled block; the other balances are
 * those after the account's newest movement.
 */
function earningsByCampaign(sql: Sql, { at, past }: EarningsAt, earner: Earner) {
  const { account } = earner;
  const balanceAt = { campaignId: sql`as_of.campaign_id`, account, seq: sql`as_of.seq` };
  return sql`
    ${past ? heldFromLevels(sql, at, earner) : heldFromBalances(sql, at, earner)},
    missed_in as (
      select missed.campaign_id, sum(missed.amount) as missed
      from as_of join ledger.missed_reward missed on missed.campaign_id = as_of.campaign_id
      where missed.recipient = ${account} and missed.seq <= as_of.seq
      group by missed.campaign_id
    ), joined as (
      select node.campaign_id, count(*) as links
      from as_of join ledger.node node on node.campaign_id = as_of.campaign_id
      where node.owner = ${account} and node.seq <= as_of.seq
      group by node.campaign_id
    ), earned_in as (
      select as_of.campaign_id, as_of.token, coalesce(held.at_risk, 0) as at_risk,
        coalesce(held.ready, 0) as ready, coalesce(balance.claimable_after, 0) as claimable,
        coalesce(balance.claimed_after, 0) as claimed,
        coalesce(balance.refunded_after, 0) as refunded,
        coalesce(balance.reversed_after, 0) as reversed, coalesce(missed_in.missed, 0) as missed,
        coalesce(held.conversions, 0) as conversions, coalesce(joined.links, 0) as links,
        held.next_release_at, held.last_conversion_at, balance.seq is not null as has_balance
      from as_of
      left join held on held.campaign_id = as_of.campaign_id
      left join missed_in on missed_in.campaign_id = as_of.campaign_id
      left join joined on joined.campaign_id = as_of.campaign_id
      left join lateral ${newestMovement(sql, balanceAt)} balance on true
    )`;
}

const tokenEarnings = rowCodec({
  token: { address: address.from('token'), symbol: text, decimals: small, name: text },
  /** Number of campaigns with a conversion. */
  campaigns: integer,
  ...earnings.fields,
});

/** Earnings of an account in campaigns of one token. */
export type TokenEarnings = View<typeof tokenEarnings>;

const summary = rowCodec({
  byToken: as<readonly StoredRow[]>(),
  links: integer,
  claimableCampaigns: integer,
  /** Unix seconds. */
  nextReleaseAt: nullable(seconds),
});

/** Earnings of an account in all campaigns. */
export interface EarningsView extends Omit<View<typeof summary>, 'byToken'> {
  /** Most conversions first; of two with equally many, the lower address. */
  readonly byToken: readonly TokenEarnings[];
}

/**
 * Reads the earnings of an account in all campaigns at the settled block: one statement, with one plan for all
 * accounts. Symbol and name of a token are those in its newest campaign.
 */
export function earningsRead(account: Address): OneRead<StoredRow, EarningsView, 'account'> {
  return { select: settledEarnings, values: { account }, answer: earningsOf };
}

function settledEarnings(sql: Sql, at: AsOf, { account }: NamedFragments<'account'>) {
  return allEarnings(sql, { at, past: false }, { account });
}

/** `earningsRead` within a transaction; planned for this account if it is as of a past block. */
export async function earningsSummary(
  { sql, head, past }: Snapshot,
  account: Address,
  options: Pick<Earner, 'fewConversions'> = {},
): Promise<EarningsView> {
  const planning = past ? planForParameters(sql) : planOnce(sql);
  const earner = { account, ...options };
  const reading = sql<StoredRow[]>`${allEarnings(sql, { at: head, past }, earner)}`;
  const [, rows] = await Promise.all([planning, reading]);
  return earningsOf(rows);
}

function allEarnings(sql: Sql, where: EarningsAt, earner: Earner) {
  return sql`
    with as_of as materialized (${earnerCampaigns(sql, where.at, earner)}),
    ${earningsByCampaign(sql, where, earner)},
    tokens as (
      select earned_in.token, max(campaign_id) as newest, sum(at_risk)::text as at_risk,
        sum(ready)::text as ready, sum(claimable)::text as claimable,
        sum(claimed)::text as claimed, sum(refunded)::text as refunded,
        sum(reversed)::text as reversed, sum(missed)::text as missed,
        sum(conversions)::text as conversions,
        count(*) filter (where conversions > 0)::text as campaigns
      from earned_in where has_balance or conversions > 0 group by earned_in.token
    )
    select array(
        select to_jsonb(tokens) || jsonb_build_object('symbol', campaign.token_symbol,
          'decimals', campaign.token_decimals, 'name', campaign.token_name)
        from tokens join ledger.campaign on campaign.campaign_id = tokens.newest
        order by tokens.conversions::bigint desc, tokens.token
      ) as by_token,
      coalesce((select sum(links) from earned_in), 0) as links,
      (select count(*) from earned_in where claimable > 0) as claimable_campaigns,
      (select min(next_release_at) from earned_in) as next_release_at`;
}

function earningsOf([row]: readonly StoredRow[]): EarningsView {
  if (row === undefined) throw new Error('A select of totals returned no row.');
  const found = summary.decode(row);
  return { ...found, byToken: found.byToken.map(tokenEarnings.decode) };
}

const campaignEarnings = rowCodec({
  campaignId: id,
  /** Number of nodes that it owns. */
  links: integer,
  /** Unix seconds. */
  lastConversionAt: nullable(seconds),
  ...earnings.fields,
});

/** Earnings of an account in one campaign. */
export type CampaignEarningsView = View<typeof campaignEarnings>;

/** Earnings of an account in each of its campaigns, by campaign id: one statement. */
export async function earningsOfCampaigns(
  { sql, head, past }: Snapshot,
  earner: Earner,
): Promise<ReadonlyMap<string, CampaignEarningsView>> {
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${earnerCampaigns(sql, head, earner)}),
    ${earningsByCampaign(sql, { at: head, past }, earner)}
    select * from earned_in`;
  return new Map(rows.map(campaignEarnings.decode).map((one) => [one.campaignId, one]));
}

const earnedCampaign = rowCodec({
  /** The account's newest sale in the campaign, 0 without one. */
  saleId: id,
  campaignId: id,
});

/** A campaign of an account, which is also the cursor of a page that ends with it. */
export type EarnedCampaign = View<typeof earnedCampaign>;

/** A page of an account's campaigns, those with the newest conversions first: one statement. */
export async function earnedCampaigns(
  { sql, head }: Snapshot,
  account: Address,
  { after, limit }: { readonly after: EarnedCampaign | undefined; readonly limit: number },
): Promise<readonly EarnedCampaign[]> {
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (${earnerCampaigns(sql, head, { account })}),
    ordered as (
      select as_of.campaign_id, coalesce(newest.sale_id, 0) as sale_id
      from as_of
      left join lateral (
        select level.sale_id from ledger.sale_level level
        join ledger.sale sale
          on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
        where level.recipient = ${account} and level.campaign_id = as_of.campaign_id
          and sale.seq <= as_of.seq
        order by level.sale_id desc limit 1
      ) newest on true
    )
    select campaign_id, sale_id from ordered
    ${after ? sql`where (sale_id, campaign_id) < (${after.saleId}::bigint, ${after.campaignId}::bigint)` : sql``}
    order by sale_id desc, campaign_id desc limit ${limit}`;
  return rows.map(earnedCampaign.decode);
}
