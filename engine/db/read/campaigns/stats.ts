import {
  amount,
  as,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  type View,
} from '../../row.ts';
import { joinLevelBefore, levelAmount } from '../as-of/level.ts';
import { salesAsOf } from '../sales/states.ts';
import type { Snapshot } from '../snapshot.ts';
import type { CampaignView } from './rows.ts';

const statsView = rowCodec({
  recorded: integer,
  direct: integer,
  value: {
    recorded: amount.from('value_recorded'),
    settled: amount.from('value_settled'),
    refunded: amount.from('value_refunded'),
  },
  buyers: integer,
  sellingNodes: integer,
  distributors: integer,
  /** Seconds. */
  medianSecondsToFinalize: nullable(as<number>()),
  firstSaleAt: nullable(seconds),
  lastSaleAt: nullable(seconds),
});

const campaignLevel = rowCodec({
  level: small,
  /** Number of sales that gave it more than nothing. */
  sales: integer,
  shares: amount,
  /** Reserved, and the hold is running. */
  atRisk: amount,
  /** Reserved, and the hold is over. */
  readyToFinalize: amount,
  refunded: amount,
  reversed: amount,
});

/** Totals of one level of all paths; amounts in base units. */
export type LevelStats = View<typeof campaignLevel>;

/** Totals of the sales of a campaign; amounts in base units, times in unix seconds. */
export interface CampaignStatsView extends View<typeof statsView> {
  readonly levels: readonly LevelStats[];
}

/** Totals of the sales of a campaign: two statements, each of which reads the sales once. */
export async function campaignStats(
  snapshot: Snapshot,
  campaign: Pick<CampaignView, 'campaignId' | 'seq'>,
): Promise<CampaignStatsView> {
  const { sql, head } = snapshot;
  const [levels, [row]] = await Promise.all([
    levelStats(snapshot, campaign),
    sql<StoredRow[]>`
      with sold as (
        ${salesAsOf(sql, head, sql`campaign.campaign_id = ${campaign.campaignId}`)}
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
          as median_seconds_to_finalize,
        min(block_timestamp) as first_sale_at, max(block_timestamp) as last_sale_at
      from sold`,
  ]);
  if (row === undefined) throw new Error('A select of totals returned no row.');
  return { ...statsView.decode(row), levels };
}

/**
 * The levels by number. Levels of a sale that changed after the settled block are the sum of their entries
 * until then; the others, which are nearly all, are read from their rows.
 */
async function levelStats(
  { sql, head }: Snapshot,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
): Promise<LevelStats[]> {
  const rows = await sql<StoredRow[]>`
    with due as materialized (
      -- Only levels of pending sales hold something. An index has all that is read of the others.
      select sale_id from ledger.sale
      where campaign_id = ${campaignId} and state = 'pending' and hold_until <= ${head.timestamp}
    ), level_as_of as (
      select level.level, level.share, due.sale_id is not null as is_due, level.reserved,
        level.released, level.reversed
      from ledger.sale sale
      join ledger.sale_level level
        on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
      left join due on due.sale_id = sale.sale_id
      where sale.campaign_id = ${campaignId} and sale.changed_seq <= ${seq}
      union all
      select level.level, level.share, sale.hold_until <= ${head.timestamp},
        ${levelAmount(sql, 'reserved')}, ${levelAmount(sql, 'released')}, ${levelAmount(sql, 'reversed')}
      from ledger.sale sale
      join ledger.sale_level level
        on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
      ${joinLevelBefore(sql, sql`true`, sql`${seq}::bigint`)}
      where sale.campaign_id = ${campaignId} and sale.seq <= ${seq}
        and sale.changed_seq > ${seq}
    )
    select level, count(*) filter (where share > 0) as sales, sum(share) as shares,
      coalesce(sum(reserved) filter (where not is_due), 0) as at_risk,
      coalesce(sum(reserved) filter (where is_due), 0) as ready_to_finalize,
      sum(released) as refunded, sum(reversed) as reversed
    from level_as_of group by level order by level`;
  return rows.map(campaignLevel.decode);
}
