import type { Sql } from '../connection.ts';
import { hexText } from '../hex.ts';
import { id, nullable, rowCodec, type StoredRow, text } from '../row.ts';

/** A violation, as every statement of the audit returns it. */
export const violationRow = rowCodec({
  campaignId: id,
  /** The invariant, in a few words. */
  invariant: text,
  /** The account, sale or level that it is about, if it is about one. */
  subject: nullable(text),
  expected: text,
  actual: text,
});

/** A select of all movements: entries with all balances, and reservations of levels with the reserve alone. */
export function allMovements(sql: Sql) {
  return sql`
    select campaign_id, account, seq, ordinal, kind, amount, reserved_after, claimable_after,
      claimed_after, refunded_after, reversed_after
    from ledger.entry
    union all
    select campaign_id, recipient, sale.seq, level, 'reserve', share, reserved_after,
      null, null, null, null
    from ledger.sale_level join ledger.sale using (campaign_id, sale_id) where share <> 0`;
}

/**
 * Every movement changes its account's balances by its amount, starting from the balances after the one
 * before it, and changes nothing else. If the chain paid more than there was, which is a discrepancy of that
 * event, less may have left a balance (docs/how-it-works/settlement.md#predict-then-prove).
 */
export function movements(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with moved as (
      select campaign_id, account, seq, ordinal, kind, amount,
        coalesce(reserved_after, 0) - lag(coalesce(reserved_after, 0), 1, 0::numeric) over history
          as reserved,
        coalesce(claimable_after - lag(claimable_after, 1, 0::numeric) over entries, 0) as claimable,
        coalesce(claimed_after - lag(claimed_after, 1, 0::numeric) over entries, 0) as claimed,
        coalesce(refunded_after - lag(refunded_after, 1, 0::numeric) over entries, 0) as refunded,
        coalesce(reversed_after - lag(reversed_after, 1, 0::numeric) over entries, 0) as reversed
      from (${allMovements(sql)}) movement
      window history as (partition by campaign_id, account order by seq, ordinal),
        entries as (partition by campaign_id, account, kind = 'reserve' order by seq, ordinal)
    )
    select campaign_id, 'a movement changes ' || v.bucket || ' by its amount' as invariant,
      ${hexText(sql, sql`account`)} || ' at event ' || seq as subject, v.expected::text, v.actual::text
    from moved
    cross join lateral (values
      ('reserved', amount * case
        when kind = 'reserve' then 1 when kind in ('release', 'vest', 'return') then -1 else 0
      end, reserved),
      ('claimable', amount * case
        when kind = 'vest' then 1 when kind in ('claim', 'reverse') then -1 else 0
      end, claimable),
      ('claimed', amount * (kind = 'claim')::int, claimed),
      ('refunded', amount * (kind = 'release')::int, refunded),
      ('reversed', amount * (kind = 'reverse')::int, reversed)
    ) v (bucket, expected, actual)
    where v.expected <> v.actual and not (
      (kind, v.bucket) in (('vest', 'reserved'), ('claim', 'claimable'))
      and v.actual between v.expected and 0
      and exists (
        select 1 from ledger.discrepancy d
        where d.campaign_id = moved.campaign_id and d.seq = moved.seq
      )
    )`;
}

/**
 * Sales are numbered in the order of their events, and times rise with both: reads as of an event search the newest sale by
 * its time and its id.
 */
export function saleOrder(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    select campaign_id, 'sales are numbered in the order of their events' as invariant,
      'sale ' || sale_id as subject, 'after event ' || before as expected, 'event ' || seq as actual
    from (
      select campaign_id, sale_id, seq,
        lag(seq) over (partition by campaign_id order by sale_id) as before
      from ledger.sale
    ) numbered
    where seq <= before
    union all
    select campaign_id, 'events are in the order of their times', 'event ' || seq,
      'at or after ' || before, block_timestamp::text
    from (
      select campaign_id, seq, block_timestamp,
        lag(block_timestamp) over (partition by campaign_id order by seq) as before
      from ledger.journal
    ) timed
    where block_timestamp < before
    union all
    select campaign_id, 'a sale has the time of its event', 'sale ' || sale.sale_id,
      recorded.block_timestamp::text, sale.block_timestamp::text
    from ledger.sale join ledger.journal recorded using (campaign_id, seq)
    where recorded.block_timestamp <> sale.block_timestamp`;
}

/** The reward ledger added up after every event, and not only after the newest: reads of the past. */
export function pastIdentities(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    select campaign_id, 'rewards add up to netDeposited' as invariant,
      'at event ' || seq as subject, net_deposited::text as expected, v.rewards::text as actual
    from ledger.journal
    cross join lateral (values (
      available + pending_reserved + vested_unclaimed + rewards_claimed + surplus_withdrawn
    )) v (rewards)
    where net_deposited <> v.rewards`;
}
