import type { Sql } from '../connection.ts';
import type { PartitionableTable } from '../tables/ledger.ts';

/** Schema of the partitions; the partitioned tables themselves are in `ledger`. */
export const PARTITIONS_SCHEMA = 'ledger_partitions';

/** Schema that exists only while a table is being converted: the new table, its triggers, and how far it is copied. */
export const CONVERSION_SCHEMA = 'ledger_conversion';

/** Maximum number of partitions: a statement that names no campaign probes each of them. */
export const MAX_PARTITIONS = 128;

/** How far a table is converted. */
export interface Conversion {
  readonly table: PartitionableTable;
  /** Number of partitions that the new table has; 1 if it is not partitioned. */
  readonly partitions: number;
  /** Primary key of the last copied row, as text; `null` before the first. */
  readonly afterKey: readonly string[] | null;
  /** Rows that were read from the old table. */
  readonly copied: number;
}

/** The conversion that was begun and not finished; `undefined` if there is none. */
export async function conversionUnderWay(sql: Sql): Promise<Conversion | undefined> {
  const [found] = await sql<{ exists: boolean }[]>`
    select to_regclass(${`${CONVERSION_SCHEMA}.conversion`}) is not null as exists`;
  if (found?.exists !== true) return undefined;
  const [row] = await sql<(Omit<Conversion, 'copied'> & { copied: string })[]>`
    select "table", partitions, after_key as "afterKey", copied from ledger_conversion.conversion`;
  return row && { ...row, copied: Number(row.copied) };
}
