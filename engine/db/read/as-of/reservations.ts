import type { Fragment, Sql } from '../../connection.ts';
import { newestEntry } from './balance.ts';

/**
 * Reservations as rows of `entry`, to select from: each level of a sale is one, unless its share is 0. Balances other
 * than the reserve are those after the account's newest entry before it.
 * @param levels selects rows of `sale_level`, and of their sale `seq` and `block_number`.
 */
export function asEntries(sql: Sql, levels: Fragment) {
  const before = {
    campaignId: sql`level.campaign_id`,
    account: sql`level.recipient`,
    seq: sql`level.seq`,
  };
  return sql`(
    select level.campaign_id, level.seq, ${reservationOrdinal(sql)} as ordinal, level.block_number,
      'reserve' as kind, level.recipient as account, level.sale_id, level.level, level.node_id,
      level.share as amount, level.reserved_after,
      coalesce(before.claimable_after, 0) as claimable_after,
      coalesce(before.claimed_after, 0) as claimed_after,
      coalesce(before.refunded_after, 0) as refunded_after,
      coalesce(before.reversed_after, 0) as reversed_after, level.share as held_after
    from (${levels}) level
    left join lateral ${newestEntry(sql, before)} before on true
  )`;
}

/** Position of the reservation of `level` among those of its sale, from 0. */
export function reservationOrdinal(sql: Sql) {
  return sql`(
    select count(*) from ledger.sale_level nearer
    where nearer.campaign_id = level.campaign_id and nearer.sale_id = level.sale_id
      and nearer.level < level.level and nearer.share <> 0
  )::smallint`;
}
