import type { Sql } from '../connection.ts';

/** What the feeder met at a look and could not help. */
export interface Trouble {
  readonly name: 'rpc' | 'disagreement' | 'mismatch' | 'orphaned';
  /** The block that it is about, where there is one. */
  readonly blockNumber: number | null;
  /** A sentence, without the addresses and keys of RPCs. */
  readonly message: string;
}

/** Writes down what the last look met: what it did not meet has gone, what it met again keeps its time. */
export async function writeTroubles(sql: Sql, troubles: readonly Trouble[]): Promise<void> {
  const rows = troubles.map((one) => ({
    name: one.name,
    block_number: one.blockNumber,
    message: one.message,
  }));
  await sql`
    with met as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as met (name text, block_number bigint, message text)
    ),
    gone as (
      delete from ledger.trouble where name not in (select name from met)
    )
    insert into ledger.trouble (name, block_number, message)
    select name, block_number, message from met
    on conflict (name) do update set block_number = excluded.block_number,
      message = excluded.message,
      since = case
        when ledger.trouble.block_number is distinct from excluded.block_number
        then clock_timestamp() else ledger.trouble.since
      end`;
}
