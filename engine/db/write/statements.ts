import type { Fragment, Sql } from '../connection.ts';
import { Bytes, byteaText } from '../hex.ts';
import type { SqlType, StoredValue, WrittenRow } from '../row.ts';
import { commaSeparated } from '../sql.ts';

/**
 * A value with its bigints as decimal digits and its bytes as PostgreSQL writes them, for JSON. PostgreSQL reads the
 * digits into `numeric` exactly.
 * Much cheaper than a replacer of `JSON.stringify`.
 */
export function plainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainJson);
  if (value instanceof Bytes) return byteaText(value.hex);
  const plain: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) plain[name] = plainJson(member);
  return plain;
}

/** Rows of a table of the ledger for a `from`: one JSON parameter, however many rows and columns there are. */
export function rowsSql(sql: Sql, table: string, rows: readonly WrittenRow[]): Fragment {
  return sql`json_populate_recordset(
    null::${sql(`ledger.${table}`)}, ${JSON.stringify(plainJson(rows))}::text::json
  )`;
}

/**
 * Rows of a few columns for a `from`, called `name`: a list for each column, which is cheaper for the
 * server than JSON. Values are sent as they are, amounts as decimal digits.
 */
export function unnestSql<C extends string>(
  sql: Sql,
  name: string,
  columns: Readonly<Record<C, SqlType>>,
  rows: readonly Readonly<Record<C, StoredValue>>[],
): Fragment {
  const types: readonly [string, SqlType][] = Object.entries(columns);
  const lists = types.map(([column, type]) => {
    const values = rows.map((row: Readonly<WrittenRow>) => plainJson(row[column])) as string[];
    return sql`${values}::${sql.unsafe(type)}[]`;
  });
  const names = types.map(([column]) => column);
  return sql`unnest(${commaSeparated(sql, lists)}) as ${sql(name)} (${sql(names)})`;
}

/** Assignments of an `update`: each column from the column of the same name of the row called `from`. */
export function assignmentsSql(sql: Sql, columns: readonly string[], from: string): Fragment {
  return commaSeparated(
    sql,
    columns.map((column) => sql`${sql(column)} = ${sql(`${from}.${column}`)}`),
  );
}

/** Assignments of an `on conflict`: the new row's columns are added to those of the existing row called `totals`. */
export function accumulateSql(sql: Sql, columns: readonly string[]): Fragment {
  return commaSeparated(
    sql,
    columns.map(
      (name) => sql`${sql(name)} = ${sql(`totals.${name}`)} + ${sql(`excluded.${name}`)}`,
    ),
  );
}

/** The statement that appends rows to a table of the ledger. */
export function insertSql(sql: Sql, table: string, rows: readonly WrittenRow[]): Fragment {
  return sql`insert into ${sql(`ledger.${table}`)} select * from ${rowsSql(sql, table, rows)}`;
}

/** The statement that appends rows, or replaces the other columns of rows that have the same `key`. */
export function upsertSql(
  sql: Sql,
  table: string,
  key: readonly string[],
  rows: readonly WrittenRow[],
): Fragment {
  const others = Object.keys(rows[0] ?? {}).filter((column) => !key.includes(column));
  return sql`
    ${insertSql(sql, table, rows)}
    on conflict (${sql([...key])}) do update set ${assignmentsSql(sql, others, 'excluded')}`;
}
