import type { Address } from '../../core/events.ts';
import { heldOfBalances, heldOfLevels } from './earned-held.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import { type Earner, earnerCampaigns } from './own-campaigns.ts';
import { planEach, type Snapshot } from './snapshot.ts';

/** An account's reward buckets (design §5) as of the settled block, base units. */
export interface RewardBuckets {
  readonly atRisk: bigint;
  readonly readyToFinalize: bigint;
  readonly claimable: bigint;
  readonly claimed: bigint;
  readonly refunded: bigint;
  readonly reversed: bigint;
}

/** What an account has, and did not get, of one campaign or of one token. */
export interface EarningsFigures {
  readonly rewards: RewardBuckets;
  /** What the caps cost, base units. */
  readonly missed: bigint;
  /** Sales of which it has a level. */
  readonly conversions: number;
}

interface FiguresRow {
  at_risk: string;
  ready: string;
  claimable: string;
  claimed: string;
  refunded: string;
  reversed: string;
  missed: string;
  conversions: string;
}

/**
 * The figures of each of `own`'s campaigns, as fragments for a `with`. What was reserved is told apart by
 * whether its hold is over at the settled block's time; the rest stands in the account's newest
 * entry at or below it.
 */
function figuresByCampaign({ sql, head, past }: Snapshot, earner: Earner) {
  const { account } = earner;
  return sql`
    ${past ? heldOfLevels(sql, head, earner) : heldOfBalances(sql, head, earner)},
    lost as (
      select missed.campaign_id, sum(missed.amount) as missed
      from own join ledger.missed_reward missed on missed.campaign_id = own.campaign_id
      where missed.recipient = ${account} and missed.seq <= own.seq
      group by missed.campaign_id
    ), joined as (
      select node.campaign_id, count(*) as links
      from own join ledger.node node on node.campaign_id = own.campaign_id
      where node.owner = ${account} and node.seq <= own.seq
      group by node.campaign_id
    ), figures as (
      select own.campaign_id, own.token, coalesce(held.at_risk, 0) as at_risk,
        coalesce(held.ready, 0) as ready, coalesce(balance.claimable_after, 0) as claimable,
        coalesce(balance.claimed_after, 0) as claimed,
        coalesce(balance.refunded_after, 0) as refunded,
        coalesce(balance.reversed_after, 0) as reversed, coalesce(lost.missed, 0) as missed,
        coalesce(held.conversions, 0) as conversions, coalesce(joined.links, 0) as links,
        held.next_release_at, held.last_conversion_at, balance.seq is not null as moved
      from own
      left join held on held.campaign_id = own.campaign_id
      left join lost on lost.campaign_id = own.campaign_id
      left join joined on joined.campaign_id = own.campaign_id
      left join lateral (
        select * from ledger.entry
        where entry.campaign_id = own.campaign_id and entry.account = ${account}
          and entry.seq <= own.seq
        order by entry.seq desc, entry.ordinal desc limit 1
      ) balance on true
    )`;
}

/** What an account earned in campaigns of one token. */
export interface TokenEarnings extends EarningsFigures {
  readonly token: { address: Address; symbol: string; decimals: number; name: string };
  /** Campaigns with a conversion. */
  readonly campaigns: number;
}

export interface EarningsView {
  /** Most conversions first (tie: the lowest address). */
  readonly byToken: readonly TokenEarnings[];
  readonly links: number;
  readonly claimableCampaigns: number;
  /** Unix seconds. */
  readonly nextReleaseAt: number | null;
}

type TokenRow = FiguresRow & {
  token: Address;
  symbol: string;
  decimals: number;
  name: string;
  campaigns: string;
};

/**
 * Over all campaigns of an account: one statement, planned for this account. A token's words are its
 * newest campaign's.
 */
export async function earningsSummary(
  { sql, head, past }: Snapshot,
  account: Address,
): Promise<EarningsView> {
  const planning = planEach(sql);
  const reading = sql<
    {
      by_token: TokenRow[];
      links: string;
      claimable_campaigns: string;
      next_release_at: string | null;
    }[]
  >`
    with own as materialized (${earnerCampaigns(sql, head, { account })}),
    ${figuresByCampaign({ sql, head, past }, { account })},
    tokens as (
      select figures.token, max(campaign_id) as newest, sum(at_risk)::text as at_risk,
        sum(ready)::text as ready, sum(claimable)::text as claimable,
        sum(claimed)::text as claimed, sum(refunded)::text as refunded,
        sum(reversed)::text as reversed, sum(missed)::text as missed,
        sum(conversions)::text as conversions,
        count(*) filter (where conversions > 0)::text as campaigns
      from figures where moved or conversions > 0 group by figures.token
    )
    select array(
        select to_jsonb(tokens) || jsonb_build_object('symbol', campaign.token_symbol,
          'decimals', campaign.token_decimals, 'name', campaign.token_name)
        from tokens join ledger.campaign on campaign.campaign_id = tokens.newest
        order by tokens.conversions::bigint desc, tokens.token
      ) as by_token,
      coalesce((select sum(links) from figures), 0) as links,
      (select count(*) from figures where claimable > 0) as claimable_campaigns,
      (select min(next_release_at) from figures) as next_release_at`;
  const [, [row]] = await Promise.all([planning, reading]);
  return {
    byToken: (row?.by_token ?? []).map((one) => ({
      token: { address: one.token, symbol: one.symbol, decimals: one.decimals, name: one.name },
      campaigns: toInteger(one.campaigns),
      ...figuresOf(one),
    })),
    links: toInteger(row?.links ?? '0'),
    claimableCampaigns: toInteger(row?.claimable_campaigns ?? '0'),
    nextReleaseAt: toIntegerOrNull(row?.next_release_at ?? null),
  };
}

/** What an account earned in one campaign. */
export interface CampaignEarningsView extends EarningsFigures {
  readonly campaignId: string;
  /** Nodes that it owns. */
  readonly links: number;
  /** Unix seconds. */
  readonly lastConversionAt: number | null;
}

/** In each of these campaigns, in any order: one statement. */
export async function earningsOfCampaigns(
  { sql, head, past }: Snapshot,
  earner: Earner,
): Promise<ReadonlyMap<string, CampaignEarningsView>> {
  const rows = await sql<
    (FiguresRow & { campaign_id: string; links: string; last_conversion_at: string | null })[]
  >`
    with own as materialized (${earnerCampaigns(sql, head, earner)}),
    ${figuresByCampaign({ sql, head, past }, earner)}
    select * from figures`;
  return new Map(
    rows.map((row) => [
      row.campaign_id,
      {
        campaignId: row.campaign_id,
        links: toInteger(row.links),
        lastConversionAt: toIntegerOrNull(row.last_conversion_at),
        ...figuresOf(row),
      },
    ]),
  );
}

function figuresOf(row: FiguresRow): EarningsFigures {
  return {
    rewards: {
      atRisk: BigInt(row.at_risk),
      readyToFinalize: BigInt(row.ready),
      claimable: BigInt(row.claimable),
      claimed: BigInt(row.claimed),
      refunded: BigInt(row.refunded),
      reversed: BigInt(row.reversed),
    },
    missed: BigInt(row.missed),
    conversions: toInteger(row.conversions),
  };
}

/** Where a page of campaigns ended. */
export interface EarnedPlace {
  /** The account's newest sale in it, 0 without one. */
  readonly saleId: string;
  readonly campaignId: string;
}

/** A page of an account's campaigns, the one with its newest conversion first: one statement. */
export async function earnedCampaigns(
  { sql, head }: Snapshot,
  account: Address,
  { after, limit }: { readonly after: EarnedPlace | undefined; readonly limit: number },
): Promise<readonly EarnedPlace[]> {
  const rows = await sql<{ campaign_id: string; sale_id: string }[]>`
    with own as materialized (${earnerCampaigns(sql, head, { account })}),
    ordered as (
      select own.campaign_id, coalesce(newest.sale_id, 0) as sale_id
      from own
      left join lateral (
        select level.sale_id from ledger.sale_level level
        join ledger.sale sale
          on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
        where level.recipient = ${account} and level.campaign_id = own.campaign_id
          and sale.seq <= own.seq
        order by level.sale_id desc limit 1
      ) newest on true
    )
    select campaign_id, sale_id from ordered
    ${after ? sql`where (sale_id, campaign_id) < (${after.saleId}::bigint, ${after.campaignId}::bigint)` : sql``}
    order by sale_id desc, campaign_id desc limit ${limit}`;
  return rows.map((row) => ({ saleId: row.sale_id, campaignId: row.campaign_id }));
}
