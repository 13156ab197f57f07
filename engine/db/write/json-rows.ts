import type { Fragment, Sql } from '../connection.ts';

/** A row by column name; amounts and ids as bigint or decimal strings, never through a float. */
export type Row = Readonly<Record<string, RowValue>>;
export type RowValue = string | number | bigint | boolean | null | object;

/**
 * Rows as the JSON that `json_populate_recordset` reads: one parameter and one statement, however
 * many rows there are. Amounts become strings, which PostgreSQL reads into numeric exactly.
 */
function jsonRows(rows: readonly Row[]): string {
  return JSON.stringify(plainJson(rows));
}

/** The same value with its amounts as strings: cheaper by far than a replacer of `JSON.stringify`. */
export function plainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainJson);
  const plain: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) plain[name] = plainJson(member);
  return plain;
}

/** Parts of a statement, with commas between. */
export function listed(sql: Sql, parts: readonly Fragment[]): Fragment {
  return sql`${parts.map((part, i) => (i === 0 ? part : sql`, ${part}`))}`;
}

/** Rows of a table of the ledger, as what a `from` names: one parameter, however many they are. */
export function rowsOf(sql: Sql, table: string, rows: readonly Row[]): Fragment {
  return sql`
    json_populate_recordset(null::${sql(`ledger.${table}`)}, ${jsonRows(rows)}::text::json)`;
}

/** The statement that appends rows to a table. */
export function insertion(sql: Sql, table: string, rows: readonly Row[]): Fragment {
  return sql`insert into ${sql(`ledger.${table}`)} select * from ${rowsOf(sql, table, rows)}`;
}

/** The same by primary key: the `changing` columns of rows that are there are replaced. */
export function upsertion(
  sql: Sql,
  table: string,
  key: readonly string[],
  changing: readonly string[],
  rows: readonly Row[],
): Fragment {
  return sql`
    ${insertion(sql, table, rows)}
    on conflict (${sql(key)}) do update set ${listed(
      sql,
      changing.map((column) => sql`${sql(column)} = excluded.${sql(column)}`),
    )}`;
}
