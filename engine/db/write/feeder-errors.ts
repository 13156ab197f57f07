import type { Sql } from '../connection.ts';
import { type FeederError, feederErrorRow } from '../rows/feeder-error.ts';

/**
 * Replaces the errors of the tick before with those of the newest tick. An error that both had keeps the time
 * when it began, unless it is about another block.
 */
export async function writeFeederErrors(sql: Sql, errors: readonly FeederError[]): Promise<void> {
  await sql`
    with newest as (
      select * from json_to_recordset(${JSON.stringify(errors.map(feederErrorRow.encode))}::text::json)
        as newest (name text, block_number bigint, message text)
    ),
    gone as (
      delete from ledger.trouble where name not in (select name from newest)
    )
    insert into ledger.trouble (name, block_number, message)
    select name, block_number, message from newest
    on conflict (name) do update set block_number = excluded.block_number,
      message = excluded.message,
      since = case
        when ledger.trouble.block_number is distinct from excluded.block_number
        then clock_timestamp() else ledger.trouble.since
      end`;
}
