import type { RpcHealth } from '../../core/rpc-health.ts';
import type { Sql } from '../connection.ts';
import { type LeaderToken, stillLeads } from '../leadership.ts';
import type { RpcPart } from '../rows/rpc-health.ts';

/**
 * Replaces what a part knows of its RPCs. A state that lasts keeps the time when it began, also if another process of the
 * part, such as a new leader, finds the same.
 * @param leader the worker that wrote it, if it was one; nothing changes if another worker leads.
 */
export async function writeRpcHealth(
  sql: Sql,
  part: RpcPart,
  rpcs: readonly RpcHealth[],
  leader?: LeaderToken,
): Promise<void> {
  const rows = rpcs.map(({ maxLogBlocks, lastDisagreement, ...rpc }) => ({
    ...rpc,
    max_log_blocks: maxLogBlocks,
    disagreed_at: lastDisagreement?.at ?? null,
    disagreed_about: lastDisagreement?.about ?? null,
  }));
  await sql`
    with newest as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as newest (
        place integer, state text, since timestamptz, until timestamptz, max_log_blocks integer,
        disagreements bigint, disagreed_at timestamptz, disagreed_about text)
      where ${stillLeads(sql, leader)}
    ),
    gone as (
      delete from ledger.rpc_health
      where part = ${part} and place not in (select place from newest) and ${stillLeads(sql, leader)}
    )
    insert into ledger.rpc_health as known (part, place, state, since, until, max_log_blocks,
      disagreements, disagreed_at, disagreed_about)
    select ${part}, place, state, since, until, max_log_blocks, disagreements, disagreed_at,
      disagreed_about
    from newest
    on conflict (part, place) do update set state = excluded.state,
      since = case
        when known.state = excluded.state
        then least(known.since, excluded.since) else excluded.since
      end,
      until = excluded.until, max_log_blocks = excluded.max_log_blocks,
      disagreements = excluded.disagreements, disagreed_at = excluded.disagreed_at,
      disagreed_about = excluded.disagreed_about, seen_at = clock_timestamp()`;
}
