import type { Snapshot } from '../snapshot.ts';
import { type ReportScope, type RowSource, saleColumns, salesOf, tokenColumns } from './scope.ts';

/**
 * A row for each rewarded level of each sale. A level's row holds its newest standing; of a sale that
 * a later event changed, the standing is the sum of the entries until then. A level counts as claimed
 * where a claim of its recipient in that campaign follows its vesting (design §3).
 */
export function rewardRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const levels = sql`${salesOf(sql, head, scope)}
    join ledger.sale_level level
      on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id`;
  return {
    count: sql`select count(*) as rows from ${levels}`,
    rows: sql`
      select ${saleColumns(sql)}, ${tokenColumns(sql)}, level.level, level.node_id as "nodeId",
        level.recipient, level.share, level.hold_until as "holdUntil", standing.held,
        standing.released, standing.vested, standing.reversed,
        case when standing.reversed > 0 then 'reversed'
          when standing.vested > 0 then case
            when bucket.last_claim_seq <= own.settled_seq or earlier.seq is not null then 'claimed'
            else 'claimable' end
          when standing.held > 0 then 'reserved'
          when standing.released > 0 then 'refunded'
          when standing.state = 'pending' then 'reserved'
          when standing.state = 'finalized' then 'claimable' else standing.state end as state
      from ${levels}
      left join lateral (
        select coalesce((array_agg(held_after order by entry.seq desc, ordinal desc))[1],
            level.share) as held,
          coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
          coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
          coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
          max(entry.seq) filter (where kind = 'vest') as vested_seq,
          (
            select version.state from ledger.sale_version version
            where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
              and version.seq <= own.settled_seq
            order by version.seq desc limit 1
          ) as state
        from ledger.entry
        where entry.campaign_id = sale.campaign_id and entry.sale_id = sale.sale_id
          and entry.level = level.level and entry.seq <= own.settled_seq
        having sale.changed_seq > own.settled_seq
      ) past on true
      cross join lateral (
        select coalesce(past.held, level.reserved) as held,
          coalesce(past.released, level.released) as released,
          coalesce(past.vested, level.vested) as vested,
          coalesce(past.reversed, level.reversed) as reversed,
          case when past.state is null then level.vested_seq else past.vested_seq end as vested_seq,
          coalesce(past.state, sale.state) as state
      ) standing
      left join ledger.bucket on bucket.campaign_id = sale.campaign_id
        and bucket.account = level.recipient and bucket.last_claim_seq > standing.vested_seq
      -- The newest claim is yet to settle: there may be one before it.
      left join lateral (
        select entry.seq from ledger.entry
        where entry.campaign_id = sale.campaign_id and entry.account = level.recipient
          and entry.kind = 'claim' and entry.seq > standing.vested_seq
          and entry.seq <= own.settled_seq and bucket.last_claim_seq > own.settled_seq
        order by entry.seq desc limit 1
      ) earlier on true
      order by sale.campaign_id, sale.block_timestamp, sale.sale_id, level.level`,
  };
}
