import type { Fragment, Sql } from '../connection.ts';
import { heldLevels } from '../held-levels.ts';
import { fence } from '../planner.ts';
import { unnestSql } from './statements.ts';

/** A move of a campaign's clock. */
export interface ClockMove {
  readonly campaignId: string;
  /** The cursor's clock, unix seconds. */
  readonly from: number;
  /** The timestamp of a block, unix seconds; never the time of this machine. */
  readonly to: number;
}

/**
 * Moves the clocks of campaigns, forward or, after a reorg, back. Levels whose hold ended in between
 * move from `at_risk` to `ready_to_finalize`, or back. The end of a hold is not an event and makes no entry.
 */
export async function moveClocks(sql: Sql, moves: readonly ClockMove[]): Promise<void> {
  const ids = moves.map(({ campaignId }) => campaignId);
  const columns = { campaign_id: 'bigint', from_clock: 'bigint', to_clock: 'bigint' } as const;
  const rows = moves.map(({ campaignId, from, to }) => ({
    campaign_id: campaignId,
    from_clock: from,
    to_clock: to,
  }));
  const move = unnestSql(sql, 'move', columns, rows);
  const passed = heldLevels(sql, {
    campaignId: sql`move.campaign_id`,
    holds: sql`hold_until > least(move.from_clock, move.to_clock)
      and hold_until <= greatest(move.from_clock, move.to_clock)`,
  });
  await sql`
    with due as materialized (
      select move.campaign_id, level.recipient,
        sum(level.reserved) * case when to_clock > from_clock then 1 else -1 end as amount
      from ${move}
      cross join lateral (${passed} ${fence(sql)}) level
      group by move.campaign_id, level.recipient, from_clock, to_clock
    )
    update ledger.bucket b
    set at_risk = b.at_risk - due.amount, ready_to_finalize = b.ready_to_finalize + due.amount
    from due cross join lateral (
      select ctid from ledger.bucket
      where campaign_id = due.campaign_id and account = due.recipient ${fence(sql)}
    ) at
    where b.ctid = at.ctid`;
  await sql`
    update ledger.cursor c set clock = move.to_clock from ${move}
    where c.campaign_id = any(${ids}::bigint[]) and c.campaign_id = move.campaign_id`;
}

/**
 * Time when the next hold of a pending sale ends or policy takes effect after the clock of the cursor `c`, unix seconds.
 * Also that of a sale without levels, which moves nothing: to find the first that has some would read all the others.
 */
export function nextDue(sql: Sql): Fragment {
  return sql`least(
    (
      select min(hold_until) from ledger.sale
      where campaign_id = c.campaign_id and state = 'pending' and hold_until > c.clock
    ),
    (
      select min(effective_at) from ledger.policy
      where campaign_id = c.campaign_id and effective_at > c.clock
    )
  )`;
}

/** Records when the next hold of each campaign ends or its next policy takes effect. */
export async function scheduleClocks(sql: Sql, campaignIds: readonly string[]): Promise<void> {
  await sql`
    update ledger.cursor c set clock_next = ${nextDue(sql)}
    where c.campaign_id = any(${[...campaignIds]}::bigint[])`;
}
