import type { Sql } from '../connection.ts';
import { changedSales } from './changed.ts';
import { type Earner, earnedLevels } from './own-campaigns.ts';
import type { ReadHead } from './snapshot.ts';

/**
 * What an account holds of each of `own`'s campaigns as of the settled block, as fragments for a `with`
 * that end in `held`: conversions, amounts at risk and ready, when the next hold ends, and the newest
 * conversion. Added up from all its levels, as any block of the past needs.
 */
export function heldOfLevels(sql: Sql, head: ReadHead, earner: Earner) {
  return sql`
    earned as materialized (${earnedLevels(sql, earner)}),
    held as (
      select campaign_id, count(distinct sale_id) as conversions,
        sum(reserved) filter (where hold_until > ${head.timestamp}) as at_risk,
        sum(reserved) filter (where hold_until <= ${head.timestamp}) as ready,
        min(hold_until) filter (where reserved > 0 and hold_until > ${head.timestamp})
          as next_release_at,
        max(block_timestamp) as last_conversion_at
      from earned group by campaign_id
    )`;
}

/**
 * The same from what settlement keeps. The reserve stands in the newest entry, and its ready part in
 * the bucket, up to the cursor's clock: added is what fell due since, and put right are the levels of
 * sales that later events recorded or changed. So the cost follows how far settlement is ahead of the
 * settled block, and not the account's sales.
 */
export function heldOfBalances(sql: Sql, head: ReadHead, { account }: Earner) {
  return sql`
    moved as materialized (${movedLevels(sql, account)}),
    put_right as (
      select campaign_id,
        count(distinct sale_id) filter (where is_new) as new_conversions,
        coalesce(sum(held_then) filter (where hold_until <= ${head.timestamp}), 0)
          - coalesce(sum(held_now) filter (where hold_until <= ${head.timestamp}), 0) as ready,
        min(hold_until) filter (where held_then > 0 and hold_until > ${head.timestamp})
          as next_release_at
      from moved group by campaign_id
    ), held as (
      select own.campaign_id,
        coalesce(sums.direct + sums.network, 0) - coalesce(put_right.new_conversions, 0)
          as conversions,
        newest_entry.reserved - ready.amount as at_risk, ready.amount as ready,
        least(pending.hold_until, put_right.next_release_at) as next_release_at,
        newest.block_timestamp as last_conversion_at
      from own
      left join ledger.account_sum sums on sums.campaign_id = own.campaign_id
        and sums.account = ${account}
      left join put_right on put_right.campaign_id = own.campaign_id
      join ledger.cursor on cursor.campaign_id = own.campaign_id
      left join ledger.bucket on bucket.campaign_id = own.campaign_id
        and bucket.account = ${account}
      cross join lateral (
        select coalesce((
          select entry.reserved_after from ledger.entry
          where entry.campaign_id = own.campaign_id and entry.account = ${account}
            and entry.seq <= own.seq
          order by entry.seq desc, entry.ordinal desc limit 1
        ), 0) as reserved
      ) newest_entry
      cross join lateral (
        select case when cursor.clock <= ${head.timestamp} then 1 else -1 end
          * coalesce(sum(level.reserved), 0) as amount
        from ledger.sale_level level
        where level.campaign_id = own.campaign_id and level.reserved <> 0
          and level.hold_until > least(cursor.clock, ${head.timestamp}::bigint)
          and level.hold_until <= greatest(cursor.clock, ${head.timestamp}::bigint)
          and level.recipient = ${account}
      ) due
      cross join lateral (
        select coalesce(bucket.ready_to_finalize, 0) + due.amount + coalesce(put_right.ready, 0)
          as amount
      ) ready
      left join lateral (
        select level.hold_until from ledger.sale_level level
        join ledger.sale sale on sale.campaign_id = level.campaign_id
          and sale.sale_id = level.sale_id and sale.seq <= own.seq
        where newest_entry.reserved > ready.amount and level.campaign_id = own.campaign_id
          and level.reserved > 0 and level.reserved <> 0
          and level.hold_until > ${head.timestamp} and level.recipient = ${account}
        order by level.hold_until limit 1
      ) pending on true
      left join lateral (
        select sale.block_timestamp from ledger.sale_level level
        join ledger.sale sale on sale.campaign_id = level.campaign_id
          and sale.sale_id = level.sale_id and sale.seq <= own.seq
        where level.recipient = ${account} and level.campaign_id = own.campaign_id
        order by level.sale_id desc limit 1
      ) newest on true
    )`;
}

/**
 * Levels of sales that later events recorded or changed, over `own`: what they hold, and held.
 * @param account whose; without one, all.
 */
export function movedLevels(sql: Sql, account: Earner['account'] | undefined) {
  return sql`
    select level.campaign_id, level.sale_id, level.recipient as account, level.hold_until,
      sale.seq > own.seq as is_new, level.reserved as held_now,
      case when sale.seq <= own.seq then coalesce((
        select entry.held_after from ledger.entry
        where entry.campaign_id = level.campaign_id and entry.sale_id = level.sale_id
          and entry.level = level.level and entry.seq <= own.seq
        order by entry.seq desc, entry.ordinal desc limit 1
      ), level.share) else 0 end as held_then
    from own
    cross join lateral ${changedSales(sql)}
    join ledger.sale_level level on level.campaign_id = sale.campaign_id
      and level.sale_id = sale.sale_id
      ${account === undefined ? sql`` : sql`and level.recipient = ${account}`}
    where own.ahead`;
}
