import { keccak256 } from 'viem';
import type { Keccak256 } from '../../engine/core/digest.ts';
import type { Pool } from '../../engine/db/connection.ts';

export const keccak: Keccak256 = (bytes) => keccak256(bytes, 'bytes');

/**
 * Tables whose every row is decided by the chain alone. `change` and what belongs to it are not: they
 * depend on when the leader looked (docs/settlement.md, «Changes»).
 */
const TABLES = [
  'journal',
  'campaign',
  'policy',
  'price',
  'permission',
  'credit',
  'node',
  'sale',
  'sale_version',
  'sale_level',
  'attestation',
  'entry',
  'bucket',
  'missed_reward',
  'discrepancy',
  'sale_day',
  'node_day',
  'depth_day',
  'cohort_week',
  'account_sum',
] as const;

/** Every row as text, by table. */
export type LedgerDump = Readonly<Record<string, readonly string[]>>;

/** The whole ledger, without what depends on when it was written: for comparing two. */
export async function dumpLedger(pool: Pool): Promise<LedgerDump> {
  const dump: Record<string, string[]> = {};
  for (const table of TABLES) {
    const rows = await pool<{ row: string }[]>`
      select (to_jsonb(t) - 'indexed_at')::text as row from ${pool(`ledger.${table}`)} t
      order by row`;
    dump[table] = rows.map(({ row }) => row);
  }
  const cursors = await pool<{ row: string }[]>`
    select (to_jsonb(c) - 'missing_since' - 'clock')::text as row from ledger.cursor c
    where seq > 0 order by row`;
  dump.cursor = cursors.map(({ row }) => row);
  return dump;
}

/** What two ledgers differ in: rows that only one has, a few of each table. */
export function differences(one: LedgerDump, other: LedgerDump): string[] {
  return Object.keys(one).flatMap((table) => {
    const [left, right] = [new Set(one[table]), new Set(other[table])];
    const only = [...left].filter((row) => !right.has(row)).map((row) => `- ${table} ${row}`);
    const missing = [...right].filter((row) => !left.has(row)).map((row) => `+ ${table} ${row}`);
    return [...only.slice(0, 2), ...missing.slice(0, 2)];
  });
}
