import type { Fragment, Sql } from './sql.ts';

/*
 * Hashes and addresses are `0x…` in lower case everywhere in the program. Tables of the ledger that grow with sales, nodes
 * and accounts store their bytes (0065_bytes.sql), all others this text. Columns of both kinds are read as `0x…`, and take
 * it as parameters: the driver converts. Within a statement, `hexText` and `hexBytes` do.
 */

/**
 * A hash or address of a `bytea` column as text `0x…`: for JSON, for texts, and for columns of text. PostgreSQL itself would
 * make `\x…` of it without a word.
 */
export function hexText(sql: Sql, bytes: Fragment): Fragment {
  return sql`('0x' || encode(${bytes}, 'hex'))`;
}

/** A text `0x…` as `bytea`, to compare it with a column that stores bytes. */
export function hexBytes(sql: Sql, text: Fragment): Fragment {
  return sql`ledger.bytes_of(${text})`;
}

/** The beginning of a hash, by which `ledger.journal_transaction_start` finds transactions. */
export function startOf(sql: Sql, bytes: Fragment): Fragment {
  return sql`substr(${bytes}, 1, 8)`;
}

/** A condition: the `transaction_hash` of a table is this hash. It is found by its beginning. */
export function isTransaction(sql: Sql, table: string, hash: string): Fragment {
  const column = sql`${sql(table)}.transaction_hash`;
  return sql`${startOf(sql, column)} = ${startOf(sql, sql`${hash}::bytea`)} and ${column} = ${hash}`;
}

/** A hash or address for a `bytea` column of a row that is copied, or sent as JSON: the driver does not convert it there. */
export class Bytes {
  readonly hex: string;

  constructor(hex: string) {
    this.hex = hex;
  }
}

/** Bytes as PostgreSQL writes them, `\x…`, of `0x…` or of bytes. */
export function byteaText(value: string | Uint8Array): string {
  if (typeof value !== 'string') return `\\x${Buffer.from(value).toString('hex')}`;
  return value.startsWith('0x') ? `\\x${value.slice(2)}` : value;
}

/** `0x…` of bytes as PostgreSQL writes them. */
export function hexOfBytea(text: string): string {
  return `0x${text.slice(2)}`;
}

/** The bytes of a secret or its hash, of which the driver makes `0x…`. */
export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}
