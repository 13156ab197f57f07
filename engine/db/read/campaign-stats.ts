import type { CampaignView } from './campaign-rows.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import { saleStandings } from './sale-standings.ts';
import type { Snapshot } from './snapshot.ts';

/** What the sales of a campaign add up to; amounts in base units, times in unix seconds. */
export interface CampaignStatsView {
  readonly recorded: number;
  readonly direct: number;
  readonly value: {
    readonly recorded: bigint;
    readonly settled: bigint;
    readonly refunded: bigint;
  };
  readonly buyers: number;
  readonly sellingNodes: number;
  readonly distributors: number;
  /** Seconds. */
  readonly medianSecondsToFinalize: number | null;
  readonly firstSaleAt: number | null;
  readonly lastSaleAt: number | null;
  readonly levels: readonly LevelStats[];
}

/** What one level of all paths got; base units. */
export interface LevelStats {
  readonly level: number;
  /** Sales that gave it more than nothing. */
  readonly sales: number;
  readonly shares: bigint;
  /** Reserved, the hold runs. */
  readonly atRisk: bigint;
  /** Reserved, the hold is over. */
  readonly readyToFinalize: bigint;
  readonly refunded: bigint;
  readonly reversed: bigint;
}

interface TotalsRow {
  recorded: string;
  direct: string;
  value_recorded: string;
  value_settled: string;
  value_refunded: string;
  buyers: string;
  selling_nodes: string;
  distributors: string;
  median_seconds: number | null;
  first_sale_at: string | null;
  last_sale_at: string | null;
}

/** Two statements, each of which reads the campaign's sales once. */
export async function campaignStats(
  snapshot: Snapshot,
  campaign: Pick<CampaignView, 'campaignId' | 'seq'>,
): Promise<CampaignStatsView> {
  const { sql, head } = snapshot;
  const [levels, [row]] = await Promise.all([
    levelStats(snapshot, campaign),
    sql<TotalsRow[]>`
      with sold as (
        ${saleStandings(sql, head, sql`campaign.campaign_id = ${campaign.campaignId}`)}
      )
      select count(*) as recorded, count(*) filter (where node_id is null) as direct,
        coalesce(sum(amount), 0) as value_recorded,
        coalesce(sum(amount - refunded_total) filter (where state = 'finalized'), 0)
          as value_settled,
        coalesce(sum(refunded_total), 0) as value_refunded,
        count(distinct buyer) as buyers, count(distinct node_id) as selling_nodes,
        (
          select count(distinct owner) from ledger.node
          where campaign_id = ${campaign.campaignId} and seq <= ${campaign.seq}
        ) as distributors,
        percentile_cont(0.5) within group (order by finalized_at - block_timestamp)
          as median_seconds,
        min(block_timestamp) as first_sale_at, max(block_timestamp) as last_sale_at
      from sold`,
  ]);
  return {
    recorded: toInteger(row?.recorded ?? '0'),
    direct: toInteger(row?.direct ?? '0'),
    value: {
      recorded: BigInt(row?.value_recorded ?? 0),
      settled: BigInt(row?.value_settled ?? 0),
      refunded: BigInt(row?.value_refunded ?? 0),
    },
    buyers: toInteger(row?.buyers ?? '0'),
    sellingNodes: toInteger(row?.selling_nodes ?? '0'),
    distributors: toInteger(row?.distributors ?? '0'),
    medianSecondsToFinalize: row?.median_seconds ?? null,
    firstSaleAt: toIntegerOrNull(row?.first_sale_at ?? null),
    lastSaleAt: toIntegerOrNull(row?.last_sale_at ?? null),
    levels,
  };
}

interface LevelRow {
  level: number;
  sales: string;
  shares: string;
  at_risk: string;
  ready: string;
  refunded: string;
  reversed: string;
}

/**
 * The levels by number. Of a sale that moved on since the settled block they are the sum of its
 * entries until then; the others, which are nearly all, are read as they stand.
 */
async function levelStats(
  { sql, head }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
): Promise<LevelStats[]> {
  const rows = await sql<LevelRow[]>`
    with standing as (
      select level.level, level.share, level.hold_until, level.reserved as held, level.released,
        level.reversed
      from ledger.sale sale
      join ledger.sale_level level
        on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
      where sale.campaign_id = ${campaignId} and sale.changed_seq <= ${seq}
      union all
      select level.level, level.share, level.hold_until, coalesce(past.held, level.share),
        past.released, past.reversed
      from ledger.sale sale
      join ledger.sale_level level
        on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
      cross join lateral (
        select coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
          coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
          (array_agg(held_after order by entry.seq desc, ordinal desc))[1] as held
        from ledger.entry
        where entry.campaign_id = sale.campaign_id and entry.sale_id = sale.sale_id
          and entry.level = level.level and entry.seq <= ${seq}
      ) past
      where sale.campaign_id = ${campaignId} and sale.seq <= ${seq}
        and sale.changed_seq > ${seq}
    )
    select level, count(*) filter (where share > 0) as sales, sum(share) as shares,
      coalesce(sum(held) filter (where hold_until > ${head.timestamp}), 0) as at_risk,
      coalesce(sum(held) filter (where hold_until <= ${head.timestamp}), 0) as ready,
      sum(released) as refunded, sum(reversed) as reversed
    from standing group by level order by level`;
  return rows.map((row) => ({
    level: row.level,
    sales: toInteger(row.sales),
    shares: BigInt(row.shares),
    atRisk: BigInt(row.at_risk),
    readyToFinalize: BigInt(row.ready),
    refunded: BigInt(row.refunded),
    reversed: BigInt(row.reversed),
  }));
}
