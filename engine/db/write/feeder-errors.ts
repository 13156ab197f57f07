import type { Sql } from '../connection.ts';
import { type LeaderToken, stillLeads } from '../leadership.ts';
import { type FeederError, feederErrorRow } from '../rows/feeder-error.ts';

/**
 * Replaces the errors of the tick before with those of the newest tick. An error that both had keeps the time
 * when it began, unless it is about another block. A new one began with its tick: the wait for an RPC that does
 * not answer counts.
 * @param tickMs milliseconds since the newest tick began; default 0.
 * @param leader the worker that ran the tick, if it was one; nothing changes if another worker leads.
 */
export async function writeFeederErrors(
  sql: Sql,
  errors: readonly FeederError[],
  tickMs = 0,
  leader?: LeaderToken,
): Promise<void> {
  await sql`
    with newest as (
      select * from json_to_recordset(${JSON.stringify(errors.map(feederErrorRow.encode))}::text::json)
        as newest (name text, block_number bigint, message text)
      where ${stillLeads(sql, leader)}
    ),
    gone as (
      delete from ledger.feeder_error
      where name not in (select name from newest) and ${stillLeads(sql, leader)}
    )
    insert into ledger.feeder_error (name, block_number, message, since)
    select name, block_number, message,
      clock_timestamp() - make_interval(secs => ${tickMs / 1_000}::double precision)
    from newest
    on conflict (name) do update set block_number = excluded.block_number,
      message = excluded.message,
      since = case
        when ledger.feeder_error.block_number is distinct from excluded.block_number
        then excluded.since else ledger.feeder_error.since
      end`;
}
