import { openKeccak } from '../../engine/chain/keccak.ts';
import type { Keccak256 } from '../../engine/core/digest.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { foldedTables } from '../../engine/db/tables/ledger.ts';

export const keccak: Keccak256 = await openKeccak();

/** Every row as text, by table. */
export type LedgerDump = Readonly<Record<string, readonly string[]>>;

/**
 * Every row that follows from the chain alone, for comparing two ledgers. Changes are left out, because they
 * depend on when the feeder read the chain (docs/how-it-works/settlement.md#changes); so are times of writing, and
 * calldata, which an indexer that loads finalized history does not read.
 */
export async function dumpLedger(pool: Pool): Promise<LedgerDump> {
  const dump: Record<string, string[]> = {};
  for (const { name } of foldedTables) {
    const rows = await pool<{ row: string }[]>`
      select (to_jsonb(t) - '{indexed_at,calldata_end}'::text[])::text as row from ${pool(`ledger.${name}`)} t
      order by row`;
    dump[name] = rows.map(({ row }) => row);
  }
  const cursors = await pool<{ row: string }[]>`
    select (to_jsonb(c) - 'missing_since' - 'clock')::text as row from ledger.cursor c
    where seq > 0 order by row`;
  dump.cursor = cursors.map(({ row }) => row);
  return dump;
}

/** Differences of two ledgers: rows that only one has, a few for each table. */
export function differences(one: LedgerDump, other: LedgerDump): string[] {
  return Object.keys(one).flatMap((table) => {
    const [left, right] = [new Set(one[table]), new Set(other[table])];
    const only = [...left].filter((row) => !right.has(row)).map((row) => `- ${table} ${row}`);
    const missing = [...right].filter((row) => !left.has(row)).map((row) => `+ ${table} ${row}`);
    return [...only.slice(0, 2), ...missing.slice(0, 2)];
  });
}
