import type { Sql } from '../connection.ts';

/**
 * Moves a campaign's clock, forward or, after a reorg, back: levels whose hold ended in between go
 * from `at_risk` to `ready_to_finalize`, or back. Vesting is no event and leaves no entry.
 * @param from the cursor's clock, unix seconds.
 * @param to the timestamp of a block, unix seconds; never the wall's.
 */
export async function moveClock(
  sql: Sql,
  campaignId: string,
  from: number,
  to: number,
): Promise<void> {
  const sign = to > from ? 1 : -1;
  await sql`
    with due as (
      select recipient, sum(reserved) * ${sign}::int as amount
      from ledger.sale_level
      where campaign_id = ${campaignId} and reserved <> 0
        and hold_until > ${Math.min(from, to)} and hold_until <= ${Math.max(from, to)}
      group by recipient
    )
    update ledger.bucket b
    set at_risk = b.at_risk - due.amount, ready_to_finalize = b.ready_to_finalize + due.amount
    from due
    where b.campaign_id = ${campaignId} and b.account = due.recipient`;
  await sql`update ledger.cursor set clock = ${to} where campaign_id = ${campaignId}`;
}

/** When the next hold ends or policy takes effect after the clock of the cursor `c`, unix seconds. */
export function nextDue(sql: Sql, campaignId: string) {
  return sql`least(
    (
      select min(hold_until) from ledger.sale_level
      where campaign_id = ${campaignId} and reserved <> 0 and hold_until > c.clock
    ),
    (
      select min(effective_at) from ledger.policy
      where campaign_id = ${campaignId} and effective_at > c.clock
    )
  )`;
}

/** Notes when the next hold ends or policy takes effect. */
export async function scheduleClock(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    update ledger.cursor c set clock_next = ${nextDue(sql, campaignId)}
    where campaign_id = ${campaignId}`;
}
