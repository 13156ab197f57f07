import type { Sql } from '../../connection.ts';
import { heldLevels } from '../../held-levels.ts';
import { fence } from '../../planner.ts';
import { newestMovement } from '../as-of/balance.ts';
import { changedSales } from '../corrections.ts';
import type { AsOf } from '../one-read.ts';
import { type Earner, earnedLevels } from './earner-campaigns.ts';

/**
 * Holdings of an account in each campaign of `as_of`, as fragments for a `with` that end in `held`:
 * conversions, amounts at risk and ready in base units, when the next hold ends, and the time of the newest
 * conversion. Computed from all levels of the account, which works for any block of the past.
 */
export function heldFromLevels(sql: Sql, at: AsOf, earner: Earner) {
  return sql`
    earned as materialized (${earnedLevels(sql, earner)}),
    held as (
      select campaign_id, count(distinct sale_id) as conversions,
        sum(reserved) filter (where hold_until > ${at.timestamp}) as at_risk,
        sum(reserved) filter (where hold_until <= ${at.timestamp}) as ready,
        min(hold_until) filter (where reserved > 0 and hold_until > ${at.timestamp})
          as next_release_at,
        max(block_timestamp) as last_conversion_at
      from earned group by campaign_id
    )`;
}

/** Default of `Earner.fewConversions`. */
export const FEW_CONVERSIONS = 200;

/**
 * `held` as `heldFromLevels` computes it, from the balances that settlement stores. The reserve is that after the
 * newest movement, and its ready part, as of the cursor's clock, in the bucket. What became due between that
 * clock and the settled block is added, and levels of sales that later events recorded or changed are
 * corrected. The cost depends on how far settlement is ahead of the settled block, not on the number of
 * sales, with one plan for all accounts.
 */
export function heldFromBalances(
  sql: Sql,
  at: AsOf,
  { account, fewConversions = FEW_CONVERSIONS }: Earner,
) {
  const balance = { campaignId: sql`as_of.campaign_id`, account, seq: sql`as_of.seq` };
  return sql`
    changed_level as materialized (${changedLevels(sql, account)}),
    correction as (${heldCorrections(sql, at)}), held as (
      select as_of.campaign_id,
        coalesce(sums.direct + sums.network, 0) - coalesce(correction.new_conversions, 0)
          as conversions,
        newest_movement.reserved - ready.amount as at_risk, ready.amount as ready,
        least(pending_of_few.hold_until, pending_of_many.hold_until,
          correction.next_release_at) as next_release_at,
        newest.block_timestamp as last_conversion_at
      from as_of
      left join ledger.account_sum sums on sums.campaign_id = as_of.campaign_id
        and sums.account = ${account}
      left join correction on correction.campaign_id = as_of.campaign_id
      join ledger.cursor on cursor.campaign_id = as_of.campaign_id
      left join ledger.bucket on bucket.campaign_id = as_of.campaign_id
        and bucket.account = ${account}
      cross join lateral (
        select coalesce((
          select newest.reserved_after from ${newestMovement(sql, balance)} newest
        ), 0) as reserved
      ) newest_movement
      cross join lateral (${dueSinceClock(sql, at, account)}) due
      cross join lateral (
        select coalesce(bucket.ready_to_finalize, 0) + due.amount + coalesce(correction.ready, 0)
          as amount
      ) ready
      ${joinNextRelease(sql, at, account, fewConversions)}
      left join lateral (
        select sale.block_timestamp from ledger.sale_level level
        join ledger.sale sale on sale.campaign_id = level.campaign_id
          and sale.sale_id = level.sale_id and sale.seq <= as_of.seq
        where level.recipient = ${account} and level.campaign_id = as_of.campaign_id
        order by level.sale_id desc limit 1
      ) newest on true
    )`;
}

/** A select from `changed_level`, by campaign: what its levels add to the newest totals. */
function heldCorrections(sql: Sql, at: AsOf) {
  return sql`
    select campaign_id,
      count(distinct sale_id) filter (where is_new) as new_conversions,
      coalesce(sum(held_before) filter (where hold_until <= ${at.timestamp}), 0)
        - coalesce(sum(held_now) filter (where hold_until <= ${at.timestamp}), 0) as ready,
      min(hold_until) filter (where held_before > 0 and hold_until > ${at.timestamp})
        as next_release_at
    from changed_level group by campaign_id`;
}

/** A select of what became due between the clock of the campaign's rows and the block; negative if that is earlier. */
function dueSinceClock(sql: Sql, at: AsOf, account: Earner['account']) {
  const passed = heldLevels(sql, {
    campaignId: sql`as_of.campaign_id`,
    holds: sql`hold_until > least(cursor.clock, ${at.timestamp}::bigint)
      and hold_until <= greatest(cursor.clock, ${at.timestamp}::bigint)`,
    recipient: account,
  });
  return sql`
    select case when cursor.clock <= ${at.timestamp} then 1 else -1 end
      * coalesce(sum(level.reserved), 0) as amount
    from (${passed}) level`;
}

/**
 * Joins the end of the account's next hold: `pending_of_few` searches the account's levels, `pending_of_many` the
 * pending sales of the campaign in the order of their holds, which ends soon if the account has many. One of the two is
 * null.
 */
function joinNextRelease(sql: Sql, at: AsOf, account: Earner['account'], fewConversions: number) {
  return sql`
    left join lateral (
      select sale.hold_until from ledger.sale_level level
      join ledger.sale sale on sale.campaign_id = level.campaign_id
        and sale.sale_id = level.sale_id and sale.seq <= as_of.seq
      where coalesce(sums.direct + sums.network, 0) <= ${fewConversions}
        and newest_movement.reserved > ready.amount and level.campaign_id = as_of.campaign_id
        and level.reserved > 0 and sale.hold_until > ${at.timestamp}
        and level.recipient = ${account}
      order by sale.hold_until limit 1
    ) pending_of_few on true
    left join lateral (
      select sale.hold_until from (
        select sale.sale_id, sale.hold_until, sale.seq from ledger.sale
        where sale.campaign_id = as_of.campaign_id and sale.state = 'pending'
          and sale.hold_until > ${at.timestamp}
        order by sale.hold_until ${fence(sql)}
      ) sale
      where coalesce(sums.direct + sums.network, 0) > ${fewConversions}
        and newest_movement.reserved > ready.amount and sale.seq <= as_of.seq and exists (
          select from ledger.sale_level level
          where level.recipient = ${account} and level.campaign_id = as_of.campaign_id
            and level.sale_id = sale.sale_id and level.reserved > 0
          ${fence(sql)}
        )
      limit 1
    ) pending_of_many on true`;
}

/**
 * Levels of sales in campaigns of `as_of` that later events recorded or changed: base units that they hold
 * now, and held before.
 * @param account the recipient of the levels, or `any(…)` for several; without one, all levels.
 */
export function changedLevels(sql: Sql, account: Earner['account'] | undefined) {
  return sql`
    select level.campaign_id, level.sale_id, level.recipient as account, sale.hold_until,
      sale.seq > as_of.seq as is_new, level.reserved as held_now,
      case when sale.seq <= as_of.seq then coalesce((
        select entry.held_after from ledger.entry
        where entry.campaign_id = level.campaign_id and entry.sale_id = level.sale_id
          and entry.level = level.level and entry.seq <= as_of.seq
        order by entry.seq desc, entry.ordinal desc limit 1
      ), level.share) else 0 end as held_before
    from as_of
    cross join lateral ${changedSales(sql)}
    join ledger.sale_level level on level.campaign_id = sale.campaign_id
      and level.sale_id = sale.sale_id
      ${account === undefined ? sql`` : sql`and level.recipient = ${account}`}
    where as_of.ahead`;
}
