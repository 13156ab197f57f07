import type { Sql } from './connection.ts';

/** As the audit's statements answer what differs. */
export interface ViolationRow {
  campaign_id: string;
  invariant: string;
  subject: string | null;
  expected: string;
  actual: string;
}

/**
 * Every entry moves its account's balances by its amount, from where the entry before it left them,
 * and in no other way. Where the chain paid more than there was, which is a discrepancy of that very
 * event, less may have left a bucket than the entry says (design §5, Predict, then prove).
 */
export function entryMoves(sql: Sql): Promise<ViolationRow[]> {
  return sql<ViolationRow[]>`
    with moved as (
      select campaign_id, account, seq, ordinal, kind, amount,
        reserved_after - lag(reserved_after, 1, 0::numeric) over history as reserved,
        claimable_after - lag(claimable_after, 1, 0::numeric) over history as claimable,
        claimed_after - lag(claimed_after, 1, 0::numeric) over history as claimed,
        refunded_after - lag(refunded_after, 1, 0::numeric) over history as refunded,
        reversed_after - lag(reversed_after, 1, 0::numeric) over history as reversed
      from ledger.entry
      window history as (partition by campaign_id, account order by seq, ordinal)
    )
    select campaign_id, 'an entry moves ' || v.bucket || ' by its amount' as invariant,
      account || ' at event ' || seq as subject, v.expected::text, v.actual::text
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

/** The reward ledger added up after every event, and not only after the newest: reads of the past. */
export function pastIdentities(sql: Sql): Promise<ViolationRow[]> {
  return sql<ViolationRow[]>`
    select campaign_id, 'rewards add up to netDeposited' as invariant,
      'at event ' || seq as subject, net_deposited::text as expected, v.rewards::text as actual
    from ledger.journal
    cross join lateral (values (
      available + pending_reserved + vested_unclaimed + rewards_claimed + surplus_withdrawn
    )) v (rewards)
    where net_deposited <> v.rewards`;
}
