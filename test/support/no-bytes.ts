import { expect } from 'vitest';
import { openPool } from '../../engine/db/connection.ts';

/*
 * PostgreSQL makes `\x…` of a hash or address that is stored as bytes, without an error, if a statement puts it into JSON, joins
 * it to a text or assigns it to a column of text (engine/db/hex.ts). Nothing that leaves the service, and no text in the
 * database, may have that.
 */

/** Bytes as PostgreSQL writes them, as many as half an address; in JSON the backslash is doubled. */
const BYTES = /\\x[0-9a-f]{20}/;

/** Fails for a text with bytes as PostgreSQL writes them. */
export function expectNoBytes(text: string): void {
  expect(BYTES.exec(text)?.[0]).toBeUndefined();
}

/** Fails if a text or JSON column of the database has bytes as PostgreSQL writes them. */
export async function expectNoBytesIn(url: string): Promise<void> {
  const pool = openPool(url, { max: 1 });
  try {
    const columns = await pool<{ table: string; column: string }[]>`
      select format('%I.%I', nspname, relname) as table, attname as column
      from pg_attribute
      join pg_class on pg_class.oid = attrelid
      join pg_namespace on pg_namespace.oid = relnamespace
      where nspname in ('ledger', 'commerce') and relkind = 'r'
        and attnum > 0 and atttypid in ('text'::regtype, 'json'::regtype, 'jsonb'::regtype)`;
    if (columns.length === 0) return;
    const found = await pool.unsafe(
      columns
        .map(
          ({ table, column }) =>
            `(select '${table}.${column}' as column from ${table}
              where "${column}"::text ~ '${BYTES.source}' limit 1)`,
        )
        .join(' union all '),
    );
    expect(found).toEqual([]);
  } finally {
    await pool.end();
  }
}
