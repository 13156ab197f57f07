import { newestClaim } from '../as-of/balance.ts';
import { joinLevelBefore, levelState } from '../as-of/level.ts';
import { joinBeforeChange, saleState } from '../as-of/sale.ts';
import type { Snapshot } from '../snapshot.ts';
import { type ReportScope, type RowSource, saleColumns, salesOf, tokenColumns } from './scope.ts';

/**
 * A row for each rewarded level of each sale, as of the settled block. A level counts as claimed if a claim of
 * its recipient in that campaign follows its vesting (docs/reference/protocol.md#state).
 */
export function rewardRows({ sql, head }: Snapshot, scope: ReportScope): RowSource {
  const levels = sql`${salesOf(sql, head, scope)}
    join ledger.sale_level level
      on level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id`;
  const claim = newestClaim(sql, {
    campaignId: sql`sale.campaign_id`,
    account: sql`level.recipient`,
    seq: sql`as_of.seq`,
  });
  return {
    count: sql`select count(*) as rows from ${levels}`,
    rows: sql`
      select ${saleColumns(sql)}, ${tokenColumns(sql)}, level.level, level.node_id as "nodeId",
        level.recipient, level.share, sale.hold_until as "holdUntil", as_of_level.reserved as held,
        as_of_level.released, as_of_level.vested, as_of_level.reversed,
        case when as_of_level.reversed > 0 then 'reversed'
          when as_of_level.vested > 0 then
            case when ${claim} > as_of_level.vested_seq then 'claimed' else 'claimable' end
          when as_of_level.reserved > 0 then 'reserved'
          when as_of_level.released > 0 then 'refunded'
          when ${saleState(sql)} = 'pending' then 'reserved'
          when ${saleState(sql)} = 'finalized' then 'claimable' else ${saleState(sql)} end as state
      from ${levels}
      ${joinBeforeChange(sql, sql`as_of.seq`)}
      ${joinLevelBefore(sql, sql`sale.changed_seq > as_of.seq`, sql`as_of.seq`)}
      cross join lateral (select ${levelState(sql)}) as_of_level
      order by sale.campaign_id, sale.block_timestamp, sale.sale_id, level.level`,
  };
}
