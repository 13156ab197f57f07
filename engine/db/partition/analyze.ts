import type { Pool } from '../connection.ts';
import { partitionableTables } from '../tables/ledger.ts';

/**
 * Collects the statistics of partitioned tables as a whole, by which the planner estimates joins: autovacuum collects
 * those of the partitions alone. Reads a sample of each; does nothing without partitioned tables.
 */
export async function analyzePartitionedTables(pool: Pool): Promise<void> {
  const rows = await pool<{ name: string }[]>`
    select relname as name from pg_class
    where relkind = 'p' and relnamespace = 'ledger'::regnamespace
      and relname = any(${partitionableTables}::text[])`;
  for (const { name } of rows) await pool.unsafe(`analyze ledger.${name}`);
}
