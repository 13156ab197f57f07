import type { Sql } from '../connection.ts';
import type { StoredRow } from '../row.ts';

/** The credits of a campaign's accounts add up to what its ledger says is outstanding. */
export function creditSums(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with newest as (
      select distinct on (campaign_id, account) campaign_id, account, credit_after
      from ledger.credit order by campaign_id, account, seq desc
    ),
    total as (
      select campaign_id, sum(credit_after) as credit from newest group by campaign_id
    )
    select campaign_id, 'credits add up to creditOutstanding' as invariant, null as subject,
      c.credit_outstanding::text as expected, coalesce(total.credit, 0)::text as actual
    from ledger.campaign c left join total using (campaign_id)
    where c.credit_outstanding <> coalesce(total.credit, 0)`;
}

/**
 * Every credit changes by the amount of its event, and by nothing else. If the chain paid out more than
 * the account was credited, which is a discrepancy of that event, less may have left the credit.
 */
export function creditMoves(sql: Sql): Promise<StoredRow[]> {
  return sql<StoredRow[]>`
    with moved as (
      select campaign_id, account, seq, credit_after - lag(credit_after, 1, 0::numeric)
          over (partition by campaign_id, account order by seq) as change
      from ledger.credit
    ),
    event as (
      select campaign_id, seq, args ->> 'account' as account,
        (args ->> 'amount')::numeric * case name when 'PaymentCredited' then 1 else -1 end as change
      from ledger.journal where name in ('PaymentCredited', 'CreditWithdrawn')
    )
    select campaign_id, 'a credit changes by the amount of its event' as invariant,
      account || ' at event ' || seq as subject, coalesce(event.change::text, 'none') as expected,
      coalesce(moved.change::text, 'none') as actual
    from event full join moved using (campaign_id, account, seq)
    where event.change is distinct from moved.change and not (
      coalesce(moved.change between event.change and 0, false) and exists (
        select 1 from ledger.discrepancy d
        where d.campaign_id = moved.campaign_id and d.seq = moved.seq
      )
    )`;
}
